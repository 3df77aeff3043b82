import { dropsOf, type Fall, type Falling } from './drops.ts';
import { PACKET_HEIGHT, PACKET_WIDTH, packetSprite } from './packet.ts';

const PIXELS_PER_PACKET = 10_000;
const PACKETS_MAX = 40;
/** A thumb is less exact than a pixel. */
const THUMB_PX = 16;
/** Tapped packets that are kept out of sight; by then the first have long fallen. */
const TAPPED_MAX = 200;
/** After a pause of the page nothing may jump. */
const STEP_MS_MAX = 50;
const SPLASH_MS = 450;

interface Splash {
  x: number;
  y: number;
  ageMs: number;
}

/**
 * Red packets falling over a canvas, to be tapped. They are scenery: which packet a user gets is decided elsewhere. Where taps
 * are checked they fall as the gateway computes it, by numbers. With `still` they hang in the air and can be tapped all the same.
 */
export class Rainfall {
  readonly #canvas: HTMLCanvasElement;
  readonly #pen: CanvasRenderingContext2D;
  readonly #random: () => number;
  #sprite: HTMLCanvasElement | undefined;
  #width = 0;
  #height = 0;
  #falling: Falling[] = [];
  #splashes: Splash[] = [];
  #lane = 0;
  #lastMs: number | undefined;
  readonly #tapped = new Set<number>();
  still = false;
  /** Absent: they fall as they like. */
  fall: Fall | undefined;

  constructor(canvas: HTMLCanvasElement, random: () => number) {
    this.#canvas = canvas;
    this.#pen = canvas.getContext('2d')!;
    this.#random = random;
    new ResizeObserver(() => this.#fit()).observe(canvas);
    this.#fit();
  }

  /** @returns the packet at this point of the page, with its number if it has one; `undefined`: there was none */
  tap(clientX: number, clientY: number): { packet: number | undefined } | undefined {
    const box = this.#canvas.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    const hit = this.#falling.findLast((packet) =>
      Math.abs(x - this.#xOf(packet)) <= PACKET_WIDTH * packet.scale / 2 + THUMB_PX
      && Math.abs(y - packet.y) <= PACKET_HEIGHT * packet.scale / 2 + THUMB_PX);
    if (!hit) return undefined;
    this.#splashes.push({ x: this.#xOf(hit), y: hit.y, ageMs: 0 });
    hit.y = -PACKET_HEIGHT;
    if (hit.packet !== undefined) this.#hide(hit.packet);
    return { packet: hit.packet };
  }

  /** @param raining whether new packets come; those in the air fall on */
  draw(nowMs: number, raining: boolean): void {
    const stepMs = Math.min(nowMs - (this.#lastMs ?? nowMs), STEP_MS_MAX);
    this.#lastMs = nowMs;
    if (raining && this.fall) this.#falling = dropsOf(this.fall, this.#width, this.#height, this.still).filter(({ packet }) => !this.#tapped.has(packet!));
    else if (raining && this.#falling.length === 0) this.#begin();
    if (!raining && this.still) this.#falling = [];
    if (this.#falling.length === 0 && this.#splashes.length === 0) return this.#pen.clearRect(0, 0, this.#width, this.#height);
    this.#move(raining && this.fall ? 0 : stepMs, raining && !this.fall, stepMs);
    this.#paint();
  }

  #hide(packet: number): void {
    if (this.#tapped.size >= TAPPED_MAX) this.#tapped.clear();
    this.#tapped.add(packet);
  }

  #begin(): void {
    const count = Math.min(PACKETS_MAX, Math.max(8, Math.round(this.#width * this.#height / PIXELS_PER_PACKET)));
    this.#falling = Array.from({ length: count }, (_, i) => {
      const packet = this.#fresh();
      // One row below the other, so that they neither start in a line nor all at once.
      packet.y = this.still ? this.#height * (i + 0.7) / (count + 0.4) : -PACKET_HEIGHT - i / count * this.#height;
      return packet;
    });
  }

  #fresh(): Falling {
    const scale = 0.75 + this.#random() * 0.45;
    // Steps of the golden section spread them more evenly than chance, which likes heaps.
    this.#lane = (this.#lane + 0.618 + this.#random() * 0.1) % 1;
    return {
      x: PACKET_WIDTH / 2 + this.#lane * Math.max(0, this.#width - PACKET_WIDTH),
      y: -PACKET_HEIGHT,
      scale,
      speed: this.#height * (0.22 + this.#random() * 0.16) * scale,
      sway: 4 + this.#random() * 12,
      phase: this.#random() * Math.PI * 2,
    };
  }

  /** @param stepMs by which packets fall here; 0 where their fall is computed. @param refilling whether new ones come for those that are down */
  #move(stepMs: number, refilling: boolean, splashMs: number): void {
    for (const splash of this.#splashes) splash.ageMs += splashMs;
    this.#splashes = this.#splashes.filter((splash) => splash.ageMs < SPLASH_MS);
    if (this.still) return;
    for (const packet of this.#falling) {
      packet.y += packet.speed * stepMs / 1000;
      packet.phase += stepMs / 700;
    }
    const below = this.#height + PACKET_HEIGHT;
    this.#falling = this.#falling.flatMap((packet) => (packet.y <= below ? [packet] : refilling ? [this.#fresh()] : []));
  }

  #paint(): void {
    const pen = this.#pen;
    pen.clearRect(0, 0, this.#width, this.#height);
    for (const packet of this.#falling) {
      pen.save();
      pen.translate(this.#xOf(packet), packet.y);
      pen.rotate(Math.sin(packet.phase) * 0.16);
      pen.scale(packet.scale, packet.scale);
      pen.drawImage(this.#sprite!, -PACKET_WIDTH / 2, -PACKET_HEIGHT / 2, PACKET_WIDTH, PACKET_HEIGHT);
      pen.restore();
    }
    for (const { x, y, ageMs } of this.#splashes) {
      const part = ageMs / SPLASH_MS;
      pen.globalAlpha = 1 - part;
      pen.fillStyle = '#ffe3a3';
      for (let i = 0; i < 10; i++) {
        const angle = i / 10 * Math.PI * 2;
        pen.beginPath();
        pen.arc(x + Math.cos(angle) * 60 * part, y + Math.sin(angle) * 60 * part, 3.5 * (1 - part) + 1, 0, Math.PI * 2);
        pen.fill();
      }
      pen.globalAlpha = 1;
    }
  }

  #xOf(packet: Falling): number {
    return packet.x + Math.sin(packet.phase * 0.7) * packet.sway;
  }

  #fit(): void {
    const { width, height } = this.#canvas.getBoundingClientRect();
    const ratio = Math.min(devicePixelRatio || 1, 2);
    this.#width = width;
    this.#height = height;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#sprite = packetSprite(ratio);
    // A turned phone: nothing may fall where nobody sees it.
    for (const packet of this.#falling) packet.x = Math.min(packet.x, width - PACKET_WIDTH / 2);
    if (this.still) this.#falling = [];
  }
}
