import { scaleLinear } from 'd3-scale';
import { area, curveStepAfter, line, stack } from 'd3-shape';
import { OUTCOMES_IN_ORDER } from '../../../protocol/outcomes.ts';
import type { Columns } from './columns.ts';
import { across, figure, heightScale, px, startLine, svg, ticksOf, upwards, type Frame, type Scale } from './plot.ts';

const PREFIX = 'answer ';

export interface Course {
  /** Class in the style sheet. */
  name: string;
  label: string;
  values: readonly number[];
}

/** The reasons that occurred, in stacking order from the bottom; wins first. */
export function reasonsIn({ names }: Columns): string[] {
  const heard = new Set(names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length)));
  const order: string[] = ['won', 'already_claimed', 'nothing_left', ...OUTCOMES_IN_ORDER.map(({ reason }) => reason)];
  return [...new Set(order)].filter((reason) => heard.has(reason));
}

export function answersPlot(frame: Frame, columns: Columns, startSeconds: number | undefined): string {
  const reasons = reasonsIn(columns);
  const rates = reasons.map((reason) => columns.of(PREFIX + reason).map((count) => count / columns.seconds));
  // One more point, for the end of the last column.
  const times = Array.from({ length: columns.count + 1 }, (_, i) => i);
  const layers = stack<number, number>()
    .keys(reasons.map((_, i) => i))
    .value((column, layer) => rates[layer]![Math.min(column, columns.count - 1)]!)(times);
  const largest = Math.max(0, ...layers.flatMap((layer) => layer.map(([, top]) => top)));
  return timePlot(
    frame,
    columns,
    startSeconds,
    largest,
    `Answers per second by outcome, at most ${figure(largest)} a second`,
    (x, y) => {
      const shape = area<[number, number]>(
        (_, i) => x(i * columns.seconds),
        ([low]) => y(low),
        ([, high]) => y(high),
      ).curve(curveStepAfter);
      const [ground, top] = upwards(frame);
      const width = (across(frame)[1] - across(frame)[0]) / columns.count;
      const marks = layers.map(
        (layer, i) =>
          `<path class="fill ${reasons[i]}" d="${shape(layer.map(([low, high]): [number, number] => [low, high])) ?? ''}"/>`,
      );
      const hints = times
        .slice(0, -1)
        .filter((i) => rates.some((rate) => rate[i]! > 0))
        .map(
          (i) =>
            `<rect class="hint" x="${px(x(i * columns.seconds))}" y="${top}" width="${px(width)}" height="${ground - top}"><title>${figure(i * columns.seconds)} s: ${reasons.map((reason, r) => `${figure(rates[r]![i]!)} ${reason}/s`).join(', ')}</title></rect>`,
        );
      return { marks, hints };
    },
  );
}

/** Sockets, wins, credits. The first course is filled. */
export function coursesPlot(
  frame: Frame,
  columns: Columns,
  courses: readonly Course[],
  startSeconds: number | undefined,
): string {
  const largest = Math.max(0, ...courses.flatMap(({ values }) => values));
  const description = courses
    .map(({ label, values }) => `${label}: at most ${figure(Math.max(0, ...values))}`)
    .join('; ');
  return timePlot(frame, columns, startSeconds, largest, description, (x, y) => {
    const at = (_: number, i: number) => x(i * columns.seconds);
    const marks = courses.map(({ name, values }, i) => {
      const points = [...values, values.at(-1) ?? 0];
      const fill =
        i === 0
          ? `<path class="wash ${name}" d="${area<number>(at, upwards(frame)[0], (value) => y(value)).curve(curveStepAfter)(points) ?? ''}"/>`
          : '';
      return `${fill}<path class="line ${name}" d="${line<number>(at, (value) => y(value)).curve(curveStepAfter)(points) ?? ''}"/>`;
    });
    return { marks };
  });
}

type Draw = (x: Scale, y: Scale) => { marks: string[]; hints?: string[] };

function timePlot(
  frame: Frame,
  { count, seconds }: Columns,
  startSeconds: number | undefined,
  largest: number,
  description: string,
  draw: Draw,
): string {
  const x = scaleLinear([0, count * seconds], across(frame));
  const y = heightScale(frame, largest);
  const { marks, hints = [] } = draw(x, y);
  return svg(frame, {
    x,
    y,
    xTicks: ticksOf(x, frame.width > 500 ? 10 : 5),
    yTicks: ticksOf(y, 4),
    xName: 'seconds since the run began',
    description,
    marks: [...marks, startLine(frame, x, startSeconds), ...hints].join('\n'),
  });
}
