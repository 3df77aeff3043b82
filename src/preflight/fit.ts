import { figure } from '../rain/figures.ts';
import type { Costs } from './costs.ts';

/** One check: the measured value of this machine and the value that the plan needs, with their units. */
export interface Fit {
  name: string;
  measured: string;
  planned: string;
  verdict: 'fits' | 'tight' | 'too much';
  advice?: string;
}

/** Sockets of one gateway process, the default of GATEWAY_SOCKETS_MAX. */
const SOCKETS_PER_PROCESS = 18_000;
/** Open files of a process besides its sockets. */
const OPEN_FILES_BESIDES = 500;
/** A claim is stored in a hash, the log and a set: about nine times the memory of its packet in the list. */
const CLAIM_PACKETS = 9;

/**
 * Seconds until all have an answer, a socket (after a restart all arrive at once), packets, credits. Memory: share of
 * what is free.
 */
const THRESHOLDS = {
  answer: { fits: 1, tight: 3 },
  idleSocket: { fits: 60, tight: 300 },
  preallocate: { fits: 60, tight: 600 },
  credit: { fits: 60, tight: 600 },
  memory: { fits: 0.5, tight: 0.8 },
} as const;

/**
 * Compares the costs with the planned rain, for one machine that runs everything and the worst case: all users tap in
 * the same second.
 */
export function checkFit(
  costs: Costs,
  { users, packets }: { users: number; packets: number },
  socketsPerProcess = SOCKETS_PER_PROCESS,
): Fit[] {
  const winners = Math.min(users, packets);
  const coresUs = costs.cores * 1e6;
  const answerS =
    ((users - winners) * (costs.losing.gatewayUs + costs.losing.redisUs) +
      winners * (costs.winning.gatewayUs + costs.winning.redisUs)) /
    coresUs;
  // Redis uses only one core.
  const decideS = Math.max(answerS, (winners * costs.winning.redisUs) / 1e6);
  const idleSocketS = (users * costs.handshakeUs) / coresUs;
  const preallocateS = packets / costs.preallocatedPerSecond;
  const creditS = winners / costs.creditedPerSecond;
  const memory = users * costs.socketBytes + (packets + winners * CLAIM_PACKETS) * costs.packetBytes;
  const processes = Math.ceil(users / socketsPerProcess);
  const filesEach = Math.ceil(users / processes) + OPEN_FILES_BESIDES;
  const machines = Math.ceil(decideS / THRESHOLDS.answer.fits);
  return [
    fit(
      'answer all users who tap in one second',
      `${us(costs.losing.gatewayUs + costs.losing.redisUs)} per loss, ${us(costs.winning.gatewayUs + costs.winning.redisUs)} per win`,
      `${seconds(decideS)} on ${cores(costs)}`,
      decideS,
      THRESHOLDS.answer,
      `spread the players over ${machines} machines like this one`,
    ),
    fit(
      'connect all users',
      `${us(costs.handshakeUs)} per handshake`,
      `${seconds(idleSocketS)} on ${cores(costs)}`,
      idleSocketS,
      THRESHOLDS.idleSocket,
      'let players connect earlier, or run more gateways',
    ),
    fit(
      'memory for sockets and packets',
      `${bytes(costs.socketBytes)} per socket, ${bytes(costs.packetBytes)} per packet; ${bytes(costs.freeMemoryBytes)} are free`,
      bytes(memory),
      memory / costs.freeMemoryBytes,
      THRESHOLDS.memory,
      'use a machine with more memory, or run Redis on its own machine',
    ),
    fit(
      'preallocate the packets',
      `${figure(Math.round(costs.preallocatedPerSecond))} a second`,
      seconds(preallocateS),
      preallocateS,
      THRESHOLDS.preallocate,
      'load the rain well before it opens',
    ),
    fit(
      'credit the winners',
      `${figure(Math.round(costs.creditedPerSecond))} a second by the embedded database`,
      seconds(creditS),
      creditS,
      THRESHOLDS.credit,
      'winners receive their credit that much later; a PostgreSQL server is faster',
    ),
    {
      name: 'open files',
      measured:
        costs.openFilesMax === undefined ? 'unknown on this system' : `${figure(costs.openFilesMax)} per process`,
      planned: `rain gateway --processes ${processes}, ${figure(filesEach)} each`,
      ...(costs.openFilesMax === undefined
        ? { verdict: 'tight' as const, advice: 'check the limit yourself: ulimit -n' }
        : filesEach <= costs.openFilesMax
          ? { verdict: 'fits' as const }
          : {
              verdict: 'too much' as const,
              advice: `raise the limit (LimitNOFILE, ulimit -n) to ${filesEach}, or run more processes`,
            }),
    },
  ];
}

export function worst(fits: readonly Fit[]): Fit['verdict'] {
  const order = ['too much', 'tight', 'fits'] as const;
  return order.find((verdict) => fits.some((one) => one.verdict === verdict)) ?? 'fits';
}

function fit(
  name: string,
  measured: string,
  planned: string,
  value: number,
  threshold: { fits: number; tight: number },
  advice: string,
): Fit {
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
