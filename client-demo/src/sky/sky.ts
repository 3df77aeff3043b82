import { Bursts } from './burst.ts';
import { glowOf, markOf } from './costume.ts';
import { Drift } from './drift.ts';
import { alike, type Mark } from './mark.ts';
import { openPainter } from './painter.ts';
import type { PacketLook } from './pictures.ts';
import { Shower, xOf } from './shower.ts';
import { veil } from './veil.ts';

/** Limits one step, so that nothing jumps after the page was in the background. */
const STEP_MS_MAX = 100;
/** 30 frames a second are enough while there is nothing to tap. This saves battery. */
const IDLE_FRAME_MS = 30;
const COUNT_MS = 1_000;
/** Below this frame rate the background decoration is left out. */
const RATE_MIN = 24;

export class Sky {
  readonly #box: HTMLElement;
  readonly #shower: Shower;
  readonly #bursts: Bursts;
  readonly #drift: Drift;
  readonly #painter = openPainter(() => {
    this.#painted = undefined;
  });
  #width = 0;
  #height = 0;
  #lastMs = 0;
  #frames = 0;
  #counted = { atMs: 0, frames: 0 };
  #painted: readonly Mark[] | undefined;
  #slow = false;

  constructor(box: HTMLElement, random: () => number) {
    this.#box = box;
    this.#shower = new Shower(random);
    this.#bursts = new Bursts(random);
    this.#drift = new Drift(random);
    box.append(this.#painter.canvas);
    new ResizeObserver(() => this.#fit()).observe(box);
    this.#fit();
  }

  /** For users who prefer reduced motion: packets do not move, and nothing floats or bursts. */
  set still(still: boolean) {
    this.#shower.still = still;
    if (still) this.#bursts.clear();
  }

  /** From now on packets look like this. */
  setPacketLook(look: PacketLook): void {
    this.#painter.setLook(look);
  }

  /** Viewing position, -1 left to 1 right. */
  set lean(lean: number) {
    this.#drift.lean = lean;
  }

  /** Removes the packet at this point of the page. @returns whether there was one */
  tap(clientX: number, clientY: number): boolean {
    const box = this.#box.getBoundingClientRect();
    const hit = this.#shower.take(clientX - box.left, clientY - box.top);
    if (!hit) return false;
    if (!this.#shower.still) this.#bursts.pop(xOf(hit), hit.y);
    return true;
  }

  celebrate(): void {
    if (!this.#shower.still) this.#bursts.fountain(this.#width / 2, this.#height * 0.55);
  }

  /** @param raining whether new packets appear; those in the air keep falling */
  draw(nowMs: number, raining: boolean): void {
    const idle = !raining && !this.#bursts.busy && this.#shower.falling.length === 0;
    if (idle && nowMs - this.#lastMs < IDLE_FRAME_MS) return;
    const stepMs = Math.min(nowMs - this.#lastMs, STEP_MS_MAX);
    this.#lastMs = nowMs;
    this.#shower.move(stepMs, raining);
    this.#bursts.move(stepMs);
    const marks = this.#marks(stepMs, raining);
    this.#count(nowMs, raining);
    // An unchanged sky is not painted again.
    if (this.#painted && alike(marks, this.#painted)) return;
    this.#painted = marks;
    this.#painter.paint(marks);
  }

  #marks(stepMs: number, raining: boolean): Mark[] {
    const { still, falling } = this.#shower;
    if (!still) this.#drift.move(stepMs);
    const marks = [
      ...(still || (raining && this.#slow) ? [] : this.#drift.marks(raining)),
      ...falling.flatMap((packet) => glowOf(packet, still) ?? []),
      ...falling.map((packet) => markOf(packet, still)),
      ...this.#bursts.marks(),
    ];
    return marks.flatMap((mark) => {
      const alpha = mark.alpha * veil(mark.y, this.#height, raining);
      return alpha > 0 ? [{ ...mark, alpha }] : [];
    });
  }

  /** Publishes frame counts for tests: since the start, and of the last second. */
  #count(nowMs: number, raining: boolean): void {
    this.#frames++;
    const sinceMs = nowMs - this.#counted.atMs;
    if (sinceMs < COUNT_MS) return;
    const rate = Math.round(((this.#frames - this.#counted.frames) * 1000) / sinceMs);
    this.#slow ||= raining && this.#counted.frames > 0 && rate < RATE_MIN;
    this.#box.dataset['frames'] = String(this.#frames);
    this.#box.dataset['rate'] = String(rate);
    this.#counted = { atMs: nowMs, frames: this.#frames };
  }

  #fit(): void {
    const { width, height } = this.#box.getBoundingClientRect();
    if (width === this.#width && height === this.#height) return;
    this.#width = width;
    this.#height = height;
    this.#painted = undefined;
    for (const layer of [this.#shower, this.#drift, this.#painter]) layer.fit(width, height);
  }
}
