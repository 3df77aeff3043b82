import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { compiledEntry, describeEnd } from '../../platform/process/childProcess.ts';
import { childEnvironment } from '../../platform/config.ts';
import { SHAPES } from '../arrivals.ts';
import { reportOf, type SwarmReport } from '../report/report.ts';
import { WaveCounters, type Progress, type WaveCountersRecord } from '../figures/counters.ts';
import { checkWave } from '../wave.ts';

const wave = z.object({
  url: z.string(), rainId: z.string(), users: z.int(), seed: z.string(), connectsPerSecond: z.number().optional(), creditWaitMs: z.number().optional(),
  reachMs: z.number().optional(),
  reactionMs: z.object({ min: z.number(), max: z.number() }).optional(),
  arrivals: z.object({ shape: z.enum(SHAPES), perSecond: z.number() }).optional(),
  shares: z.object({ flaky: z.number(), slow: z.number(), cheaters: z.number() }).optional(),
  retryPolicy: z.record(z.string(), z.number()).optional(),
});
const token = z.object({ secret: z.string(), expiresInSeconds: z.number(), issuer: z.string().optional(), audience: z.string().optional() });

/** The order to a process. All values are those of the whole wave; `index` and `of` define the users of the process. */
export const order = z.discriminatedUnion('type', [
  z.object({ type: z.literal('play'), wave, token, prefix: z.string(), index: z.int(), of: z.int(), startedAt: z.number() }),
  z.object({ type: z.literal('stop') }),
]);

/** The messages of a process; both ends have the same build, so they are not parsed. */
export type FromChild =
  | { type: 'progress'; progress: Progress }
  | { type: 'done'; record: WaveCountersRecord; clockErrorMs: number }
  | { type: 'failed'; reason: string };

interface ProcessesOptions {
  wave: Omit<z.infer<typeof wave>, 'seed'> & { seed?: string | undefined };
  /** Data with which each process signs its users' tokens. */
  token: z.infer<typeof token>;
  prefix: string;
  processes: number;
  onProgress?: (progress: Readonly<Progress>) => void;
  signal?: AbortSignal;
}

/** One Node process handles some thousand busy sockets, so several processes play a big wave and their counters are added up. */
export async function runProcesses({ wave: options, token, prefix, processes, onProgress, signal }: ProcessesOptions): Promise<SwarmReport> {
  const wave = { ...options, seed: options.seed ?? randomBytes(32).toString('hex') };
  checkWave({ users: wave.users, ...(wave.shares && { shares: wave.shares }) }, processes);
  const children: ChildProcess[] = [];
  const progresses: Progress[] = [];
  const stop = () => { for (const child of children) if (child.connected) child.send({ type: 'stop' }); };
  const startedAt = performance.timeOrigin + performance.now();
  const ticked = (index: number, progress: Progress) => {
    progresses[index] = progress;
    onProgress?.(sumOf(progresses));
  };
  try {
    const playing = Array.from({ length: processes }, (_, index) => {
      const child = fork(compiledEntry('loadtest/processes/childProcess.js'), { execArgv: [], env: childEnvironment({}), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      children.push(child);
      return play(child, index, (progress) => ticked(index, progress), () => child.send({ type: 'play', wave, token, prefix, index, of: processes, startedAt }));
    });
    signal?.addEventListener('abort', stop, { once: true });
    const done = await Promise.all(playing);
    const total = new WaveCounters(sumOf(progresses).users);
    for (const { record } of done) total.merge(record);
    return reportOf(total, {
      rainId: wave.rainId, seed: wave.seed, durationMs: performance.timeOrigin + performance.now() - startedAt, processes,
      clockErrorMs: Math.max(...done.map(({ clockErrorMs }) => clockErrorMs)), ...(wave.arrivals && { arrivals: wave.arrivals }), ...(wave.shares && { shares: wave.shares }),
    });
  } finally {
    signal?.removeEventListener('abort', stop);
    for (const child of children) child.kill('SIGKILL');
  }
}

/** @throws one sentence when the process fails or ends too early */
function play(child: ChildProcess, index: number, onProgress: (progress: Progress) => void, begin: () => void): Promise<Extract<FromChild, { type: 'done' }>> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`swarm process ${index + 1} cannot be run: ${error.message}`)));
    child.once('exit', (code, signal) => reject(new Error(`swarm process ${index + 1} ended too early, with ${describeEnd({ code, signal })}`)));
    child.on('message', (message: FromChild | { type?: undefined }) => {
      switch (message.type) {
        case undefined: return begin();
        case 'progress': return onProgress(message.progress);
        case 'done': return resolve(message);
        case 'failed': return reject(new Error(message.reason));
        default: return message satisfies never;
      }
    });
  });
}

function sumOf(all: readonly Progress[]): Progress {
  const sum: Progress = { users: 0, connected: 0, answered: 0, won: 0, credited: 0, ended: 0 };
  for (const progress of all) if (progress) for (const name of Object.keys(sum) as (keyof Progress)[]) sum[name] += progress[name];
  return sum;
}
