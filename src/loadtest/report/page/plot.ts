import { scaleLinear, type ScaleContinuousNumeric } from 'd3-scale';

/** Sizes of a plot in user units, for a wide window and for a phone. */
export const FRAMES = {
  wide: { width: 880, height: 300, left: 64, bottom: 36, top: 14, right: 20 },
  narrow: { width: 380, height: 250, left: 52, bottom: 34, top: 12, right: 12 },
};
export type Frame = typeof FRAMES.wide;

export type Scale = ScaleContinuousNumeric<number, number>;

type Tick = { value: number; label: string };

interface Plot {
  x: Scale;
  y: Scale;
  xTicks: readonly Tick[];
  yTicks: readonly Tick[];
  /** The drawing, between the grid and the labels. */
  marks: string;
  xName: string;
  description: string;
}

export const across = ({ left, right, width }: Frame): [number, number] => [left, width - right];
export const upwards = ({ top, bottom, height }: Frame): [number, number] => [height - bottom, top];

/** From 0 to the largest value, at least to 1. */
export function heightScale(frame: Frame, largest: number): Scale {
  return scaleLinear([0, Math.max(1, largest)], upwards(frame)).nice(4);
}

/** Whole numbers only. */
export function ticksOf(scale: Scale, count: number): Tick[] {
  return scale
    .ticks(count)
    .filter(Number.isInteger)
    .map((value) => ({ value, label: figure(value) }));
}

export function svg(frame: Frame, { x, y, xTicks, yTicks, marks, xName, description }: Plot): string {
  const [from, to] = across(frame);
  const [ground, top] = upwards(frame);
  return [
    `<svg viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${escape(description)}">`,
    ...yTicks.map(
      ({ value, label }) =>
        `<line class="grid" x1="${from}" x2="${to}" y1="${px(y(value))}" y2="${px(y(value))}"/><text class="tick" x="${from - 8}" y="${px(y(value) + 4)}" text-anchor="end">${escape(label)}</text>`,
    ),
    marks,
    `<line class="axis" x1="${from}" x2="${to}" y1="${ground}" y2="${ground}"/>`,
    ...xTicks.map(
      ({ value, label }) =>
        `<line class="axis" x1="${px(x(value))}" x2="${px(x(value))}" y1="${ground}" y2="${ground + 4}"/><text class="tick" x="${px(x(value))}" y="${ground + 17}" text-anchor="middle">${escape(label)}</text>`,
    ),
    `<text class="name" x="${to}" y="${frame.height - 3}" text-anchor="end">${escape(xName)}</text>`,
    `<rect class="sheet" x="${from}" y="${top}" width="${to - from}" height="${ground - top}"/>`,
    '</svg>',
  ].join('\n');
}

/** A line at the time when the first waiting user received the start. */
export function startLine(frame: Frame, x: Scale, atSeconds: number | undefined): string {
  if (atSeconds === undefined) return '';
  const [ground, top] = upwards(frame);
  // The label is left of the line, where the plot is nearly empty, unless there is no space.
  const at = x(atSeconds);
  const side = at > frame.left + 40 ? `x="${px(at - 5)}" text-anchor="end"` : `x="${px(at + 5)}"`;
  return `<line class="start" x1="${px(at)}" x2="${px(at)}" y1="${ground}" y2="${top}"/><text class="tick over" ${side} y="${top + 9}">start</text>`;
}

export function px(value: number): string {
  return value.toFixed(1);
}

export function figure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** 0.4 ms, 12 ms, 3.1 s. */
export function duration(ms: number): string {
  if (ms < 10) return `${Number(ms.toPrecision(2))} ms`;
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toPrecision(3))} s`;
}

export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!);
}
