/** A falling packet. Lengths in CSS pixels. */
export interface Falling {
  x: number;
  y: number;
  scale: number;
  speed: number;
  sway: number;
  phase: number;
}

/**
 * Size of a falling red packet at scale 1, CSS pixels. Other falling things have about the same size, so that they are
 * as easy to tap.
 */
export const PACKET_WIDTH = 56;
export const PACKET_HEIGHT = 76;

const PIXELS_PER_PACKET = 12_000;
const PACKETS_MAX = 60;
/** Extra margin around a packet for touch. */
const THUMB_PX = 16;

/**
 * Decoration only: the server decides which packet a user gets. With `still` the packets do not move, but can be
 * tapped.
 */
export class Shower {
  readonly #random: () => number;
  #width = 0;
  #height = 0;
  falling: Falling[] = [];
  #lane = 0;
  still = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  fit(width: number, height: number): void {
    this.#width = width;
    this.#height = height;
    // After a rotation of the phone, packets must not fall outside the screen.
    for (const packet of this.falling) packet.x = Math.min(packet.x, width - PACKET_WIDTH / 2);
    if (this.still) this.falling = [];
  }

  /** Removes the packet at this point of the sky. @returns the packet; `undefined`: there was none */
  take(x: number, y: number): Falling | undefined {
    const hit = [...this.falling]
      .reverse()
      .find(
        (packet) =>
          Math.abs(x - xOf(packet)) <= (PACKET_WIDTH * packet.scale) / 2 + THUMB_PX &&
          Math.abs(y - packet.y) <= (PACKET_HEIGHT * packet.scale) / 2 + THUMB_PX,
      );
    if (!hit) return undefined;
    const taken = { ...hit };
    hit.y = -PACKET_HEIGHT;
    return taken;
  }

  /** @param raining whether new packets appear; those in the air keep falling */
  move(stepMs: number, raining: boolean): void {
    if (raining && this.falling.length === 0) this.#begin();
    if (this.still) {
      if (!raining) this.falling = [];
      return;
    }
    for (const packet of this.falling) {
      packet.y += (packet.speed * stepMs) / 1000;
      packet.phase += stepMs / 700;
    }
    const below = this.#height + PACKET_HEIGHT;
    this.falling = this.falling.flatMap((packet) => (packet.y <= below ? [packet] : raining ? [this.#fresh()] : []));
  }

  #begin(): void {
    const count = Math.min(PACKETS_MAX, Math.max(8, Math.round((this.#width * this.#height) / PIXELS_PER_PACKET)));
    this.falling = Array.from({ length: count }, (_, i) => {
      const packet = this.#fresh();
      // Staggered, so that they start neither in a line nor all at once.
      packet.y = this.still ? (this.#height * (i + 0.7)) / (count + 0.4) : -PACKET_HEIGHT - (i / count) * this.#height;
      return packet;
    });
  }

  #fresh(): Falling {
    const scale = 0.75 + this.#random() * 0.45;
    // Steps near the golden ratio (0.618) spread packets more evenly than random positions. The small random part
    // avoids a fixed pattern; an average step of two thirds would give three columns.
    this.#lane = (this.#lane + 0.578 + this.#random() * 0.08) % 1;
    return {
      x: PACKET_WIDTH / 2 + this.#lane * Math.max(0, this.#width - PACKET_WIDTH),
      y: -PACKET_HEIGHT,
      scale,
      speed: this.#height * (0.22 + this.#random() * 0.16) * scale,
      sway: 4 + this.#random() * 12,
      phase: this.#random() * Math.PI * 2,
    };
  }
}

export function xOf({ x, phase, sway }: Falling): number {
  return x + Math.sin(phase * 0.7) * sway;
}
