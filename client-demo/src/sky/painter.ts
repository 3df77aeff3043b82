import type { Mark } from './mark.ts';

/** Puts marks on a canvas of its own; knows nothing of what they mean. */
export interface Painter {
  readonly name: 'webgl' | 'canvas' | 'pen';
  readonly canvas: HTMLCanvasElement;
  /** Width and height in CSS pixels. */
  fit(width: number, height: number): void;
  /** In this order: what comes first is behind. */
  paint(marks: readonly Mark[]): void;
  end(): void;
}

/** A third pixel in each direction is not seen, only paid for. */
export function pixelRatio(): number {
  return Math.min(devicePixelRatio || 1, 2);
}
