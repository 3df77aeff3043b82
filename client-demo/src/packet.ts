/** A packet in the air. Lengths in CSS pixels. */
export interface Falling {
  x: number;
  y: number;
  scale: number;
  /** Pixels per second. */
  speed: number;
  sway: number;
  phase: number;
}

/** Size of a falling red packet at scale 1, CSS pixels. What else falls is about as large, so that a tap hits it as easily. */
export const PACKET_WIDTH = 56;
export const PACKET_HEIGHT = 76;
