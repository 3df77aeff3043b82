/** A falling packet. Lengths in CSS pixels. */
export interface Falling {
  x: number;
  y: number;
  scale: number;
  /** Pixels per second. */
  speed: number;
  sway: number;
  phase: number;
}

/** Size of a falling red packet at scale 1, CSS pixels. Other falling things have about the same size, so that they are as easy to tap. */
export const PACKET_WIDTH = 56;
export const PACKET_HEIGHT = 76;
