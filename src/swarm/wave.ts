import { randomBytes } from 'node:crypto';
import { randomSource } from '../rain/fairness.ts';
import { gatewayAddress, sourceAddresses } from './address.ts';
import { Bot } from './bot.ts';
import { ServerClock, type Now } from './clock.ts';
import { REACTION_MS_MAX, USERS_MAX } from './limits.ts';
import { PATIENCE, type Patience } from './patience.ts';
import { toReport, type SwarmReport } from './report.ts';
import { Tally, type Progress } from './tally.ts';
import { Turnstile } from './turnstile.ts';
import type { Surroundings } from './surroundings.ts';

const PROGRESS_MS = 200;

export interface WaveOptions {
  /** `ws://host:port`, or with the gateway's path. */
  url: string;
  rainId: string;
  users: number;
  /** The token for one user; may be called again for the same one after a lost line. */
  tokenFor: (userId: string) => Promise<string>;
  /** Name of user `i`; default `bot-<i>`, so that a second wave asks again for the same users [R6]. */
  userId?: (i: number) => string;
  /** Dials per second, the repeated ones included; default 500. */
  connectsPerSecond?: number;
  /** Bounds of the time from seeing that it rains to tapping, ms; default 150 to 2,000. */
  reactionMs?: { min: number; max: number };
  /** How long a winner waits to hear that he is credited, ms; default 0: he does not. */
  creditWaitMs?: number;
  /** When nobody has had a socket by then, the wave ends and `unreached` of its report says why, ms; default: its bots' patience alone decides. */
  reachMs?: number;
  /** 64 hex digits; default a new one. */
  seed?: string;
  /** Called five times a second and once at the end, always with the same, growing object. */
  onProgress?: (progress: Readonly<Progress>) => void;
  /** Ends the wave early; what was seen until then is reported. */
  signal?: AbortSignal;
  patience?: Partial<Patience>;
  now?: Now;
}

/**
 * Sends simulated users to one rain and waits until each has his outcome and his socket is closed.
 *
 * @throws TypeError for a wrong address, RangeError for a figure out of bounds, and whatever `tokenFor` throws
 */
export async function runWave(options: WaveOptions): Promise<SwarmReport> {
  const { rainId, users, signal, onProgress, creditWaitMs = 0, connectsPerSecond = 500 } = options;
  const { userId = (i: number) => `bot-${i}`, reactionMs = { min: 150, max: 2_000 }, seed = randomBytes(32).toString('hex') } = options;
  const now = options.now ?? (() => performance.now());
  within('users', users, 1, USERS_MAX);
  within('reactionMs.min', reactionMs.min, 0, REACTION_MS_MAX);
  within('reactionMs.max', reactionMs.max, reactionMs.min, REACTION_MS_MAX);
  const address = gatewayAddress(options.url);
  const random = randomSource(seed, 'swarm');
  const clock = new ServerClock(now);
  const turnstile = new Turnstile(connectsPerSecond, now);
  const tally = new Tally(users);
  const around: Surroundings = {
    address, rainId, tokenFor: options.tokenFor, creditWaitMs, turnstile, clock, now, random, patience: { ...PATIENCE, ...options.patience }, tally,
  };
  const from = sourceAddresses(address, users);
  const bots = Array.from({ length: users }, (_, i) => new Bot(around, {
    userId: userId(i),
    reactionMs: reactionMs.min + random.belowNumber(reactionMs.max - reactionMs.min + 1),
    localAddress: from.length > 0 ? from[i % from.length] : undefined,
  }));

  const startedAt = now();
  const abort = () => {
    turnstile.close();
    for (const bot of bots) bot.abort();
  };
  const ticker = onProgress && setInterval(() => onProgress(tally.progress), PROGRESS_MS);
  const runs = bots.map((bot) => bot.run());
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  const unreached = options.reachMs === undefined ? undefined : setTimeout(() => {
    if (tally.welcomes > 0) return;
    tally.lastFailure ??= { kind: 'unreachable', reason: `no answer within ${options.reachMs! / 1_000} s` };
    abort();
  }, options.reachMs);
  try {
    await Promise.all(runs);
  } catch (fault) {
    abort();
    await Promise.allSettled(runs);
    throw fault;
  } finally {
    clearInterval(ticker);
    clearTimeout(unreached);
    turnstile.close();
    signal?.removeEventListener('abort', abort);
  }
  onProgress?.(tally.progress);
  return toReport(tally, clock, { rainId, seed, durationMs: now() - startedAt });
}

function within(name: string, value: number, least: number, most: number): void {
  if (!(Number.isInteger(value) && value >= least && value <= most)) throw new RangeError(`expected ${name} from ${least} to ${most}, got ${value}`);
}
