import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { LIMITS } from '../../src/gateway/limits.ts';
import { fillInline } from './marked.ts';

const measured = z.object({
  machine: z.object({ cores: z.number(), node: z.string(), redis: z.string(), fsyncMicroseconds: z.number() }),
  rows: z.array(
    z.object({
      measure: z.string(),
      against: z.string().optional(),
      ours: z.object({ median: z.number() }).optional(),
    }),
  ),
});
type Measured = z.infer<typeof measured>;

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../bench/results/${file}`, import.meta.url), 'utf8'));
const results = measured.parse(read('latest.json'));
/** By the name of the measure. */
const scale = z.record(z.string(), measured).parse(read('scale.json'));

function median(measure: string, against?: string, { rows }: Measured = results): number {
  const found = rows.find((one) => one.measure === measure && one.against === against);
  if (!found?.ours) throw new Error(`no row "${measure}" against "${against}" among the results`);
  return found.ours.median;
}

const MEASURED = {
  L: median('losing answer: server CPU', 'ws JSON echo'),
  T: median('losing answer to a question with ticket: server CPU', 'ws JSON echo'),
  W: median('winning answer: server CPU', 'ws, one EVALSHA per grab'),
  R: median('Redis CPU per win', 'ws, one EVALSHA per grab'),
  C: median('claims credited per second', 'one job and one Prisma transaction per claim'),
  M: median('memory per idle authenticated socket', 'bare ws socket'),
  B: median('Redis CPU per win, 64 gateways, calls of 64', undefined, scale['scale-calls']),
  S: median('Redis CPU per win, 64 gateways, calls of 1', undefined, scale['scale-calls']),
  A: median('audit of 1,000,000 winners: memory of the whole process', undefined, scale['scale-audit']),
  Q: median('Redis CPU of the queue per claim, jobs of 500', undefined, scale['scale-queue']),
};
const [TAPS_A_SECOND, VIEWERS_A_PACKET, WON_WITHIN_SECONDS] = [1, 10, 5];
const WORKERS = 2;

const number = (value: number, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

function row(viewers: number): string {
  const { L, W, B, S, Q, C } = MEASURED;
  const packets = viewers / VIEWERS_A_PACKET;
  const grabs = viewers * TAPS_A_SECOND;
  const wins = packets / WON_WITHIN_SECONDS;
  const cores = (2 * (grabs * L + wins * (W - L))) / 1e6;
  const gateways = Math.ceil(Math.max(cores, viewers / LIMITS.socketsMax)) + 1;
  const memoryGiB = (gateways * 150 + viewers / 128) / 1_024;
  const queueUs = Math.min(wins, WORKERS * C) * Q;
  const [few, many] = [B, S].map((win) => Math.ceil((2 * (wins * win + queueUs)) / 1e6)) as [number, number];
  const masters = few === many ? number(few) : `${number(few)} to ${number(many)}`;
  const cells = [
    number(viewers),
    number(packets),
    number(wins),
    number(cores, 1),
    `**${number(gateways)}**`,
    `${number(memoryGiB, 1)} GiB`,
    `**${masters}**`,
    number(WORKERS),
    number(gateways + many + WORKERS),
    `${number(packets / C, 1)} s`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The page with the results of the last bench, and the table of its formula. */
export function capacityPage(page: string): string {
  const { cores, node, redis, fsyncMicroseconds } = results.machine;
  let text = fillInline(
    page,
    'machine',
    `${cores} cores, Node ${node}, Redis ${redis}, one fsync ${fsyncMicroseconds} µs`,
  );
  for (const name of ['L', 'T', 'W', 'R', 'B', 'S', 'Q', 'M'] as const)
    text = fillInline(text, name, number(MEASURED[name], 1));
  for (const name of ['C', 'A'] as const) text = fillInline(text, name, number(MEASURED[name]));
  const columns = [
    'viewers',
    'packets',
    'wins/s',
    'busy cores × 2',
    'gateway processes',
    'their memory',
    'Redis masters',
    'workers',
    'cores in all',
    'last credit after, one worker',
  ];
  const head = [`| ${columns.join(' | ')} |`, `|${'---:|'.repeat(columns.length)}`];
  return fillInline(text, 'table', `\n${[...head, ...[10_000, 100_000, 1_000_000, 10_000_000].map(row)].join('\n')}\n`);
}
