import { fork, type ChildProcess } from 'node:child_process';
import type { signToken } from '../../platform/auth/token.ts';
import { childEnvironment } from '../../platform/config.ts';
import { compiledEntry, describeEnd } from '../../platform/process/childProcess.ts';
import { reportOf, type SwarmReport } from '../report/report.ts';
import { NO_PROGRESS, WaveCounters, type Progress } from '../figures/counters.ts';
import { checkWave, newSeed, type WaveSettings } from '../wave.ts';

/** Data with which each process signs its users' tokens. */
type TokenData = { secret: string } & Omit<Parameters<typeof signToken>[1], 'sub'>;

/** The order to a process. All values are those of the whole wave; `index` and `of` define the users of the process. */
export interface Order {
  wave: WaveSettings & { seed: string };
  token: TokenData;
  prefix: string;
  index: number;
  of: number;
  startedAt: number;
}

/** The messages of a process; both ends have the same build, so nothing is parsed. */
export type FromChild =
  | { type: 'progress'; progress: Progress }
  | { type: 'done'; record: ReturnType<WaveCounters['record']>; clockErrorMs: number }
  | { type: 'failed'; reason: string };

interface ProcessesOptions extends Pick<Order, 'token' | 'prefix'> {
  wave: WaveSettings;
  processes: number;
  onProgress?: (progress: Readonly<Progress>) => void;
}

/**
 * One Node process handles some thousand busy sockets, so several processes play a big wave and their counters are
 * added up.
 */
export async function runProcesses({
  wave: options,
  token,
  prefix,
  processes,
  onProgress,
}: ProcessesOptions): Promise<SwarmReport> {
  const wave = { ...options, seed: options.seed ?? newSeed() };
  checkWave(wave, processes);
  const children: ChildProcess[] = [];
  const progresses: Progress[] = [];
  const startedAt = performance.timeOrigin + performance.now();
  try {
    const playing = Array.from({ length: processes }, (_, index) => {
      const child = fork(compiledEntry('loadtest/processes/childProcess.js'), {
        execArgv: [],
        env: childEnvironment({}),
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      children.push(child);
      return play(child, { wave, token, prefix, index, of: processes, startedAt }, (progress) => {
        progresses[index] = progress;
        onProgress?.(sumOf(progresses));
      });
    });
    const done = await Promise.all(playing);
    const total = new WaveCounters(sumOf(progresses).users);
    for (const { record } of done) total.merge(record);
    return reportOf(total, {
      ...wave,
      durationMs: performance.timeOrigin + performance.now() - startedAt,
      processes,
      clockErrorMs: Math.max(...done.map(({ clockErrorMs }) => clockErrorMs)),
    });
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** @throws one sentence when the process fails or ends too early */
function play(
  child: ChildProcess,
  order: Order,
  onProgress: (progress: Progress) => void,
): Promise<Extract<FromChild, { type: 'done' }>> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`swarm process ${order.index + 1} cannot be run: ${error.message}`)));
    child.once('exit', (code, signal) =>
      reject(new Error(`swarm process ${order.index + 1} ended too early, with ${describeEnd({ code, signal })}`)),
    );
    child.on('message', (message: FromChild | { type?: undefined }) => {
      switch (message.type) {
        case undefined:
          return void child.send(order);
        case 'progress':
          return onProgress(message.progress);
        case 'done':
          return resolve(message);
        case 'failed':
          return reject(new Error(message.reason));
        default:
          return message satisfies never;
      }
    });
  });
}

function sumOf(all: readonly Progress[]): Progress {
  const sum = { ...NO_PROGRESS };
  for (const progress of all)
    if (progress) for (const name of Object.keys(sum) as (keyof Progress)[]) sum[name] += progress[name];
  return sum;
}
