import { figure } from '../rain/figures.ts';
import type { Costs } from './costs.ts';

/** What is planned: the rain at its worst, when everybody taps in the same second. */
interface Plan {
  users: number;
  packets: number;
}

export interface Fit {
  /** What it is about, in a few words. */
  name: string;
  /** What this machine does, with its unit. */
  measured: string;
  /** What the plan comes to. */
  planned: string;
  verdict: 'fits' | 'tight' | 'too much';
  advice?: string;
}

/** Sockets of one gateway process, as GATEWAY_SOCKETS_MAX has it unless it is set. */
const SOCKETS_PER_PROCESS = 18_000;
/** A process needs files of its own beside its sockets. */
const OPEN_FILES_BESIDES = 500;
/** A claim is in a hash, the log and a set: about nine times what its packet is in the list. */
const CLAIM_PACKETS = 9;

const THRESHOLDS = {
  /** Until everybody who tapped in the same second is answered, s. */
  answer: { fits: 1, tight: 3 },
  /** Until everybody has a socket, s: who comes before the rain comes within minutes, who comes back after a restart does not. */
  idleSocket: { fits: 60, tight: 300 },
  preallocate: { fits: 60, tight: 600 },
  /** From the last win to the last credit, s. */
  credit: { fits: 60, tight: 600 },
  /** Of what is free, a share. */
  memory: { fits: 0.5, tight: 0.8 },
} as const;

/** Pure: what was measured beside what is planned, on one machine that does it all. The worst verdict counts. */
export function judgeFit(costs: Costs, { users, packets }: Plan, socketsPerProcess = SOCKETS_PER_PROCESS): Fit[] {
  const winners = Math.min(users, packets);
  const coresUs = costs.cores * 1e6;
  const answerS = ((users - winners) * (costs.losing.gatewayUs + costs.losing.redisUs) + winners * (costs.winning.gatewayUs + costs.winning.redisUs)) / coresUs;
  // Redis decides on one core, whatever the others do.
  const decideS = Math.max(answerS, winners * costs.winning.redisUs / 1e6);
  const idleSocketS = users * costs.handshakeUs / coresUs;
  const preallocateS = packets / costs.preallocatedPerSecond;
  const creditS = winners / costs.creditedPerSecond;
  const memory = users * costs.socketBytes + (packets + winners * CLAIM_PACKETS) * costs.packetBytes;
  const processes = Math.ceil(users / socketsPerProcess);
  const filesEach = Math.ceil(users / processes) + OPEN_FILES_BESIDES;
  const machines = Math.ceil(decideS / THRESHOLDS.answer.fits);
  return [
    fit('answer everybody who taps in one second', `${us(costs.losing.gatewayUs + costs.losing.redisUs)} a no, ${us(costs.winning.gatewayUs + costs.winning.redisUs)} a win`, `${seconds(decideS)} on ${cores(costs)}`,
      decideS, THRESHOLDS.answer, `spread the players over ${machines} machines like this one`),
    fit('seat everybody', `${us(costs.handshakeUs)} a handshake`, `${seconds(idleSocketS)} on ${cores(costs)}`, idleSocketS, THRESHOLDS.idleSocket, 'open the doors earlier, or run more gateways'),
    fit('memory for sockets and packets', `${bytes(costs.socketBytes)} a socket, ${bytes(costs.packetBytes)} a packet; ${bytes(costs.freeMemoryBytes)} are free`, bytes(memory),
      memory / costs.freeMemoryBytes, THRESHOLDS.memory, 'take a machine with more memory, or give Redis one of its own'),
    fit('preallocate the packets', `${figure(Math.round(costs.preallocatedPerSecond))} a second`, seconds(preallocateS), preallocateS, THRESHOLDS.preallocate, 'load the rain well before it opens'),
    fit('credit the winners', `${figure(Math.round(costs.creditedPerSecond))} a second by the embedded database`, seconds(creditS), creditS, THRESHOLDS.credit,
      'winners hear of their money that much later; a PostgreSQL of its own is quicker'),
    {
      name: 'open files', measured: costs.openFilesMax === undefined ? 'not told by this system' : `${figure(costs.openFilesMax)} a process`,
      planned: `rain gateway --processes ${processes}, ${figure(filesEach)} each`,
      ...(costs.openFilesMax === undefined ? { verdict: 'tight' as const, advice: 'make sure of it yourself: ulimit -n' }
        : filesEach <= costs.openFilesMax ? { verdict: 'fits' as const } : { verdict: 'too much' as const, advice: `raise the limit (LimitNOFILE, ulimit -n) to ${filesEach}, or run more processes` }),
    },
  ];
}

export function worst(fits: readonly Fit[]): Fit['verdict'] {
  const order = ['too much', 'tight', 'fits'] as const;
  return order.find((verdict) => fits.some((fit) => fit.verdict === verdict)) ?? 'fits';
}

function fit(name: string, measured: string, planned: string, value: number, threshold: { fits: number; tight: number }, advice: string): Fit {
  const verdict = value <= threshold.fits ? 'fits' : value <= threshold.tight ? 'tight' : 'too much';
  return { name, measured, planned, verdict, ...(verdict !== 'fits' && { advice }) };
}

const us = (value: number): string => `${value.toFixed(1)} µs`;
const seconds = (value: number): string => (value < 0.1 ? `${(value * 1_000).toFixed(1)} ms` : `${value.toFixed(1)} s`);
const cores = ({ cores: count }: Costs): string => `${count} ${count === 1 ? 'core' : 'cores'}`;

function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  for (; value >= 1_024 && unit < units.length - 1; unit++) value /= 1_024;
  return `${value.toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
}
