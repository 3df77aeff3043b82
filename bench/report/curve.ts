import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { escape } from './chart.ts';
import { amount } from './table.ts';

/** The result of each offered load. */
export interface Curve {
  name: string;
  points: readonly {
    /** Multiple of the best. */ times: number;
    offered: number;
    goodput: number;
    refused: number;
    p99Ms: number;
  }[];
}

const PANEL = { width: 480, height: 300, left: 62, right: 44, top: 74, bottom: 58 };
const LINES = [
  ['goodput', 'decided'],
  ['refused', 'told "busy"'],
] as const;

/**
 * Offered load against decided and refused grabs, one panel per curve, with the p99 of the decided ones. For light and
 * dark pages.
 */
export function curveOf(curves: readonly Curve[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PANEL.width * curves.length} ${PANEL.height}" font-family="system-ui, sans-serif" font-size="12">
<style>text{fill:#6b7280}.title{font-size:15px;font-weight:600}.small{font-size:10.5px}path{fill:none;stroke-width:2.5}.goodput{stroke:#d9363e;fill:none}.refused{stroke:#9ca3af;stroke-dasharray:5 4}circle{fill:#d9363e}.grid{stroke:#9ca3af;stroke-opacity:.3}</style>
${curves.map(panel).join('\n')}
</svg>
`;
}

function panel({ name, points }: Curve, at: number): string {
  const sorted = points.toSorted((a, b) => a.times - b.times);
  const x = scaleLinear([0, Math.max(...sorted.map(({ times }) => times))], [PANEL.left, PANEL.width - PANEL.right]);
  const y = scaleLinear(
    [0, Math.max(...sorted.flatMap(({ goodput, refused }) => [goodput, refused]))],
    [PANEL.height - PANEL.bottom, PANEL.top],
  ).nice(4);
  const [ground, right] = [PANEL.height - PANEL.bottom, PANEL.width - PANEL.right];
  return `<g transform="translate(${at * PANEL.width} 0)">
<text x="${PANEL.left}" y="22" class="title">${escape(name)}</text>
<text x="${PANEL.left}" y="42" class="small">answers a second: ${LINES.map(([of, label]) => `<tspan font-weight="600">${escape(of === 'goodput' ? '━' : '╍')}</tspan> ${escape(label)}`).join('  ')}; and the p99 of the decided</text>
${y
  .ticks(4)
  .map(
    (value) =>
      `<line class="grid" x1="${PANEL.left}" x2="${right}" y1="${px(y(value))}" y2="${px(y(value))}"/><text x="${PANEL.left - 6}" y="${px(y(value) + 4)}" text-anchor="end">${amount(value)}</text>`,
  )
  .join('\n')}
${LINES.map(
  ([of]) =>
    `<path class="${of}" d="${
      line<Curve['points'][number]>()
        .x((point) => x(point.times))
        .y((point) => y(point[of]))(sorted) ?? ''
    }"/>`,
).join('\n')}
${sorted.map((point) => `<circle cx="${px(x(point.times))}" cy="${px(y(point.goodput))}" r="3.5"/><text class="small" x="${px(x(point.times))}" y="${px(y(point.goodput) - 9)}" text-anchor="middle">${amount(point.p99Ms)} ms</text><text x="${px(x(point.times))}" y="${ground + 18}" text-anchor="middle">${amount(Number(point.times.toFixed(1)))}×</text>`).join('\n')}
<text x="${right}" y="${ground + 38}" text-anchor="end" class="small">offered, in times of the best that it decides</text>
</g>`;
}

const px = (value: number): string => value.toFixed(1);
