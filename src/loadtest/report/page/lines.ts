import { scaleLinear } from 'd3-scale';
import { area, curveStepAfter, line } from 'd3-shape';
import type { Columns } from './columns.ts';
import { across, figure, heightScale, startLine, svg, ticksOf, upwards, type Frame } from './plot.ts';

export interface Course {
  /** Class in the style sheet. */
  name: string;
  label: string;
  values: readonly number[];
}

/** Levels over time: sockets, wins, credits. The first one is filled. */
export function linesPlot(frame: Frame, columns: Columns, courses: readonly Course[], startSeconds: number | undefined): string {
  const largest = Math.max(0, ...courses.flatMap(({ values }) => values));
  const x = scaleLinear([0, columns.count * columns.seconds], across(frame));
  const y = heightScale(frame, largest);
  const at = (_: number, i: number) => x(i * columns.seconds);
  const [ground] = upwards(frame);
  const marks = courses.map(({ name, values }, i) => {
    const points = [...values, values.at(-1) ?? 0];
    const fill = i === 0 ? `<path class="wash ${name}" d="${area<number>(at, ground, (value) => y(value)).curve(curveStepAfter)(points) ?? ''}"/>` : '';
    return `${fill}<path class="line ${name}" d="${line<number>(at, (value) => y(value)).curve(curveStepAfter)(points) ?? ''}"/>`;
  });
  return svg(frame, {
    x, y, xTicks: ticksOf(x, frame.width > 500 ? 10 : 5), yTicks: ticksOf(y, 4), xName: 'seconds since the run began',
    marks: [...marks, startLine(frame, x, startSeconds)].join('\n'),
    description: courses.map(({ label, values }) => `${label}: at most ${figure(Math.max(0, ...values))}`).join('; '),
  });
}
