import { verdictOf, type Row } from './row.ts';
import type { Spread } from '../support/spread.ts';

const HEAD = ['measure', 'against', 'ours', 'theirs', 'figure', 'spread', 'must reach', ''];

export function tableOf(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(3, ...lines.map((line) => line[column]!.length)));
  const print = (line: readonly string[]) =>
    `| ${line.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column < 2 ? `:${'-'.repeat(width + 1)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [print(HEAD), rule, ...lines.slice(1).map(print)].join('\n');
}

function cells(row: Row): string[] {
  const { measure, against = '', unit, ours, theirs, figure, target, spoilt } = row;
  if (spoilt !== undefined) return [measure, against, '', '', '', '', demand(row), `no figure: ${spoilt}`];
  const sign = theirs ? ' ×' : ` ${unit}`;
  return [
    measure,
    against,
    `${amount(ours.median)} ${unit}`,
    theirs ? `${amount(theirs.median)} ${unit}` : '',
    `${amount(figure.median)}${sign}`,
    range(figure),
    target ? demand(row) : '',
    `${verdictOf(row) === 'told' ? '' : verdictOf(row)}${row.unsteady ? ' (depends on the hour)' : ''}`.trim(),
  ];
}

function demand({ target, theirs, unit }: Row): string {
  if (!target) return '';
  const sign = theirs ? ' ×' : ` ${unit}`;
  return 'most' in target ? `≤ ${amount(target.most)}${sign}` : `≥ ${amount(target.least)}${sign}`;
}

function range({ least, most }: Spread): string {
  return least === most ? 'one run' : `${amount(least)}–${amount(most)}`;
}

/** Rounds to three significant digits. */
export function amount(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}
