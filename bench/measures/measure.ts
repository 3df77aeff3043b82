import type { TestPostgres } from '../../test/support/postgres.ts';
import type { Row } from '../report/row.ts';

/** How much is measured: `quick` is for a look, `full` for figures that are quoted. */
interface Size {
  rounds: number;
  /** Users of each design, each on his own socket. */
  users: number;
  /** Of one run of losers, ms. */
  losingMs: number;
  /** Rains in which every user wins, per run. */
  rains: number;
  claims: number;
  baselineClaims: number;
  winners: number;
  packets: number;
  /** Of redis-benchmark, for each question. */
  requests: number;
  sockets: number;
  /** Live sockets over several processes. */
  crowd: number;
  /** Sockets that are told of a change while others grab; in full nearly as many as one process takes. */
  watchers: number;
  /** Of one look at what they do to a grab, ms. */
  lookMs: number;
  /** Before memory is counted, for garbage of the handshakes to be found, ms. */
  restMs: number;
  /** Sockets that offer more than can be done, and for how long each time, ms. */
  pressing: number;
  pressMs: number;
}

export const SIZES: Record<'quick' | 'full', Size> = {
  quick: { rounds: 5, users: 400, losingMs: 300, rains: 4, claims: 8_000, baselineClaims: 250, winners: 10_000, packets: 100_000, requests: 40_000, sockets: 1_000, crowd: 3_000, watchers: 1_000, lookMs: 500, restMs: 500, pressing: 1_000, pressMs: 4_000 },
  full: { rounds: 7, users: 2_000, losingMs: 3_000, rains: 8, claims: 50_000, baselineClaims: 3_000, winners: 100_000, packets: 1_000_000, requests: 200_000, sockets: 5_000, crowd: 60_000, watchers: 17_500, lookMs: 1_500, restMs: 2_000, pressing: 2_000, pressMs: 10_000 },
};

export interface BaselineOptions {
  size: Size;
  postgres: TestPostgres;
  /** What is being done, for whoever watches. */
  say(sentence: string): void;
  /** A picture of its own, SVG; kept when figures are to be quoted. */
  show(name: string, picture: string): void;
}

/** One question to the machine; some answer several rows of the table. */
export interface Measure {
  name: string;
  /** Too long for every run, or for a quick one: wants `--only`. */
  onlyWhenAsked?: 'always' | 'quick';
  rows(baselineOptions: BaselineOptions): Promise<Row[]>;
}
