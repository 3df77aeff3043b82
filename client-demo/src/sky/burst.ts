import type { Mark, Picture } from './mark.ts';

const COINS = 12;
const SPARKS = 16;
const GRAVITY = 1_500;
/** Limit of particles; the oldest are removed first. */
const BITS_MAX = 320;

interface Bit {
  picture: Picture;
  x: number;
  y: number;
  dx: number;
  dy: number;
  size: number;
  spin: number;
  ageMs: number;
  lifeMs: number;
}

/** Coins and sparks that fly apart and vanish within two seconds. */
export class Bursts {
  readonly #random: () => number;
  #bits: Bit[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  get busy(): boolean {
    return this.#bits.length > 0;
  }

  pop(x: number, y: number): void {
    this.#throw(x, y, COINS, 330, 700);
    for (let i = 0; i < SPARKS; i++) {
      const [angle, speed] = [this.#random() * Math.PI * 2, 60 + this.#random() * 260];
      this.#add({
        picture: 'spark',
        x,
        y,
        dx: Math.cos(angle) * speed,
        dy: Math.sin(angle) * speed,
        size: 0.5 + this.#random() * 1.2,
        spin: 0,
        ageMs: 0,
        lifeMs: 350 + this.#random() * 350,
      });
    }
  }

  fountain(x: number, y: number): void {
    this.#throw(x, y, COINS * 6, 620, 1_800);
  }

  move(stepMs: number): void {
    const step = stepMs / 1000;
    for (const bit of this.#bits) {
      bit.ageMs += stepMs;
      bit.x += bit.dx * step;
      bit.y += bit.dy * step;
      if (bit.picture === 'coin') bit.dy += GRAVITY * step;
      bit.spin += step * 11;
    }
    this.#bits = this.#bits.filter(({ ageMs, lifeMs }) => ageMs < lifeMs);
  }

  marks(): Mark[] {
    return this.#bits.map(({ picture, x, y, size, spin, ageMs, lifeMs }) => ({
      picture,
      x,
      y,
      turn: picture === 'coin' ? spin * 0.3 : 0,
      // A spinning coin looks thin from the side.
      scaleX: picture === 'coin' ? size * Math.max(0.15, Math.abs(Math.cos(spin))) : size,
      scaleY: size,
      alpha: Math.min(1, 3 * (1 - ageMs / lifeMs)),
    }));
  }

  clear(): void {
    this.#bits = [];
  }

  #throw(x: number, y: number, coins: number, speedMax: number, lifeMs: number): void {
    for (let i = 0; i < coins; i++) {
      const angle = -Math.PI / 2 + (this.#random() - 0.5) * 2.4;
      const speed = speedMax * (0.35 + this.#random() * 0.65);
      this.#add({
        picture: 'coin',
        x,
        y,
        dx: Math.cos(angle) * speed,
        dy: Math.sin(angle) * speed,
        size: 0.5 + this.#random() * 0.5,
        spin: this.#random() * 6,
        ageMs: 0,
        lifeMs: lifeMs * (0.7 + this.#random() * 0.3),
      });
    }
  }

  #add(bit: Bit): void {
    this.#bits.push(bit);
    if (this.#bits.length > BITS_MAX) this.#bits.shift();
  }
}
