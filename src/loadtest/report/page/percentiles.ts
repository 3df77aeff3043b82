import { scaleLinear, scaleLog } from 'd3-scale';
import { curveMonotoneX, line } from 'd3-shape';
import type { SwarmReport } from '../report.ts';
import { across, duration, px, svg, upwards, type Frame } from './plot.ts';

/** Each further nine takes the same space, because the rare long waits are the interesting ones. */
const nines = (percent: number) => Math.log10(100 / (100 - percent));
const SHOWN = [50, 90, 99, 99.9, 99.99];
/** Position of the maximum, beyond every percentile. */
const ALL = nines(99.997);
const LEAST_MS = 0.1;

export function percentilesPlot(frame: Frame, { tapCurve }: Pick<SwarmReport, 'tapCurve'>): string {
  const points = tapCurve.map(([percent, ms]): [number, number] => [
    percent === 100 ? ALL : nines(percent),
    Math.max(LEAST_MS, ms),
  ]);
  const longest = Math.max(1, ...points.map(([, ms]) => ms));
  const shortest = Math.min(...points.map(([, ms]) => ms), longest / 10);
  const x = scaleLinear([0, ALL], across(frame));
  const y = scaleLog([shortest, longest], upwards(frame)).nice();
  const curve =
    line<[number, number]>(
      ([at]) => x(at),
      ([, ms]) => y(ms),
    ).curve(curveMonotoneX)(points) ?? '';
  const dots = tapCurve.map(([percent, ms], i) => {
    const [at, value] = points[i]!;
    return `<circle class="dot" cx="${px(x(at))}" cy="${px(y(value))}" r="3.5"><title>${percent === 100 ? 'the longest' : `${percent} %`}: ${duration(ms)}</title></circle>`;
  });
  const decades = y.ticks().filter((ms) => Math.abs(Math.log10(ms) - Math.round(Math.log10(ms))) < 1e-9);
  return svg(frame, {
    x,
    y,
    marks: [`<path class="line tap" d="${curve}"/>`, ...dots].join('\n'),
    xName: 'percent of the users',
    xTicks: [
      { value: 0, label: '0' },
      ...SHOWN.map((percent) => ({ value: nines(percent), label: String(percent) })),
      { value: ALL, label: 'max' },
    ].filter(({ value, label }) => frame.width > 500 || value === 0 || value >= nines(90) || label === 'max'),
    yTicks: (decades.length > 1 ? decades : y.ticks(4)).map((value) => ({ value, label: duration(value) })),
    description: `Latency percentiles: ${tapCurve.map(([percent, ms]) => `${percent} % ${duration(ms)}`).join(', ')}`,
  });
}
