import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { LIMITS } from '../../src/gateway/limits.ts';
import { fillInline } from './marked.ts';

const results = z.object({
  machine: z.object({ cores: z.number(), node: z.string(), redis: z.string(), fsyncMicroseconds: z.number() }),
  rows: z.array(z.object({ measure: z.string(), against: z.string().optional(), ours: z.object({ median: z.number() }).optional() })),
}).parse(JSON.parse(readFileSync(new URL('../../bench/results/latest.json', import.meta.url), 'utf8')));

function median(measure: string, against: string): number {
  const row = results.rows.find((one) => one.measure === measure && one.against === against);
  if (!row?.ours) throw new Error(`no row "${measure}" against "${against}" in latest.json`);
  return row.ours.median;
}

const MEASURED = {
  L: median('losing answer: server CPU', 'ws JSON echo'),
  T: median('losing answer to a question with ticket: server CPU', 'ws JSON echo'),
  W: median('winning answer: server CPU', 'ws, one EVALSHA per grab'),
  R: median('Redis CPU per win', 'ws, one EVALSHA per grab'),
  C: median('claims credited per second', 'one job and one Prisma transaction per claim'),
  M: median('memory per idle authenticated socket', 'bare ws socket'),
};
const [TAPS_A_SECOND, VIEWERS_A_PACKET, WON_WITHIN_SECONDS] = [1, 10, 5];

const number = (value: number, digits = 0) => value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

function row(viewers: number): string {
  const { L, W, R, C } = MEASURED;
  const packets = viewers / VIEWERS_A_PACKET;
  const grabs = viewers * TAPS_A_SECOND;
  const wins = packets / WON_WITHIN_SECONDS;
  const cores = (2 * (grabs * L + wins * (W - L))) / 1e6;
  const full = viewers / LIMITS.socketsMax;
  const gateways = Math.ceil(Math.max(cores, full)) + 1;
  const memoryGiB = (gateways * 150 + viewers / 128) / 1_024;
  const cells = [number(viewers), number(packets), number(grabs), number(cores, 1), number(full, 1), `**${number(gateways)}**`, `${number(memoryGiB, 1)} GiB`, `${number((wins * R) / 1e4, 1)} %`, `${number(packets / C, 1)} s`];
  return `| ${cells.join(' | ')} |`;
}

/** The page with the results of the last bench, and the table of its formula. */
export function capacityPage(page: string): string {
  const { cores, node, redis, fsyncMicroseconds } = results.machine;
  let text = fillInline(page, 'machine', `${cores} cores, Node ${node}, Redis ${redis}, one fsync ${fsyncMicroseconds} µs`);
  for (const name of ['L', 'T', 'W', 'R', 'M'] as const) text = fillInline(text, name, number(MEASURED[name], 1));
  text = fillInline(text, 'C', number(MEASURED.C));
  const head = ['| viewers | packets | grabs/s | cores | for sockets | gateway processes | memory | Redis busy | last credit after, one worker |', '|---:|---:|---:|---:|---:|---:|---:|---:|---:|'];
  return fillInline(text, 'table', `\n${[...head, ...[10_000, 50_000, 200_000, 1_000_000].map(row)].join('\n')}\n`);
}
