import { amount } from './table.ts';
import { verdictOf, type Row } from './row.ts';

const WIDTH = 1_160;
const LABEL = 560;
const LINE = 34;
const HEAD = 64;
/** Space for the value after the longest bar, on both sides. */
const TAIL = 130;

/**
 * Bars of the ratio to the target, on a logarithmic scale: "at most half" and "at least twice" look alike. For light
 * and dark pages.
 */
export function chartOf(rows: readonly Row[], machine: string): string {
  // A target of zero has no ratio.
  const shown = rows.filter(
    ({ target, spoilt }) => target && spoilt === undefined && !('most' in target && target.most === 0),
  );
  const doublings = shown.map((row) => Math.log2(margin(row)));
  const [short, far] = [Math.max(0, ...doublings.map((times) => -times)), Math.max(1, ...doublings)];
  const missed = short > 0 ? TAIL : 0;
  const scale = (WIDTH - LABEL - TAIL - missed) / (short + far);
  const axis = LABEL + missed + short * scale;
  const bars = shown.map((row, i) => {
    const y = HEAD + i * LINE;
    const good = verdictOf(row) === 'reached';
    const width = Math.max(2, Math.abs(doublings[i]!) * scale);
    const sign = row.theirs ? '×' : ` ${row.unit}`;
    return [
      `<text x="${LABEL - 12}" y="${y + 14}" text-anchor="end">${escape(row.measure)}</text>`,
      `<text x="${LABEL - 12}" y="${y + 27}" text-anchor="end" class="small">${escape(row.against ? `against ${row.against}` : '')}</text>`,
      `<rect x="${(good ? axis : axis - width).toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="20" rx="3" class="${good ? 'good' : 'bad'}"/>`,
      good
        ? `<text x="${(axis + width + 8).toFixed(1)}" y="${y + 19}">${amount(row.figure.median)}${sign}</text>`
        : `<text x="${(axis - width - 8).toFixed(1)}" y="${y + 19}" text-anchor="end">${amount(row.figure.median)}${sign}, missed</text>`,
    ].join('\n');
  });
  const height = HEAD + shown.length * LINE + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13">
<style>text{fill:#6b7280}.title{font-size:16px;font-weight:600}.small{font-size:10.5px}.good{fill:#d9363e}.bad{fill:#9ca3af}</style>
<text x="16" y="26" class="title">How far beyond what was asked for, or short of it; the scale is logarithmic</text>
<text x="16" y="46" class="small">${escape(machine)}</text>
<line x1="${axis.toFixed(1)}" x2="${axis.toFixed(1)}" y1="${HEAD - 4}" y2="${height - 20}" stroke="#9ca3af"/>
${bars.join('\n')}
</svg>
`;
}

/**
 * Upper limit of the ratio to the target, which is above 1 when the target is reached; a value of zero would give
 * infinity.
 */
const MARGIN_MAX = 64;

function margin({ figure, target }: Row): number {
  const times = 'most' in target! ? target.most / figure.median : figure.median / target!.least;
  return Math.min(MARGIN_MAX, Math.max(1 / MARGIN_MAX, times));
}

export function escape(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!);
}
