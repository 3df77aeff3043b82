import { randomBytes } from 'node:crypto';
import { randomSource } from '../rain/fairness.ts';
import { gatewayAddress, sourceAddresses } from './address.ts';
import { arrivalsMs, type Arrivals } from './arrivals.ts';
import { Bot, type BotSelf } from './bot.ts';
import { Cheater, SOCKETS_PER_CHEATER } from './cheater.ts';
import { ServerClock, type Now } from './clock.ts';
import { SOCKETS_PER_PROCESS_MAX, whyTooMany } from './openFiles.ts';
import { behavioursOf, type Shares } from './behaviours.ts';
import { REACTION_MS_MAX, USERS_MAX } from './limits.ts';
import { RETRY_POLICY, type RetryPolicy } from './retryPolicy.ts';
import { toReport, type SwarmReport } from './report.ts';
import { WaveCounters, type Progress } from './counters.ts';
import { Throttle } from './throttle.ts';
import type { LoadtestEnvironment } from './environment.ts';

const PROGRESS_MS = 200;
/** From the last dial until the users are in place. */
const SETTLING_MS = 1_000;

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
  /** Bounds of the time from seeing that it rains to tapping, ms; default 150 to 2,000. Of no account with `arrivals`. */
  reactionMs?: { min: number; max: number };
  /** The moments to tap, decided beforehand; they count from the opening, or from when all should be connected if that is later. */
  arrivals?: Arrivals;
  /** How many are not like a good client; default nobody. */
  shares?: Shares;
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
  retryPolicy?: Partial<RetryPolicy>;
  now?: Now;
}

/** Which users of the wave are this process's: every `of`th; and how long ago the wave began, ms. */
interface WaveShare {
  index: number;
  of: number;
  begunMsAgo: number;
}

interface Played {
  counters: WaveCounters;
  clock: ServerClock;
  durationMs: number;
}

const NOBODY: Shares = { flaky: 0, slow: 0, cheaters: 0 };

/**
 * Sends simulated users to one rain and waits until each has his outcome and his socket is closed.
 *
 * @throws TypeError for a wrong address, RangeError for a figure out of bounds, and whatever `tokenFor` throws
 */
export async function runWave(options: WaveOptions): Promise<SwarmReport> {
  const seed = options.seed ?? randomBytes(32).toString('hex');
  const { rainId, arrivals, shares } = options;
  const { counters, clock, durationMs } = await playShare({ ...options, seed }, { index: 0, of: 1, begunMsAgo: 0 });
  return toReport(counters, clock, { rainId, seed, durationMs, processes: 1, ...(arrivals && { arrivals }), ...(shares && { shares }) });
}

/** @throws RangeError, one sentence, for a figure out of bounds */
export function checkWave({ users, reactionMs, shares = NOBODY, arrivals, connectsPerSecond }: Partial<WaveOptions> & { users: number }, processes: number): void {
  within('users', users, 1, USERS_MAX);
  if (reactionMs) {
    within('reactionMs.min', reactionMs.min, 0, REACTION_MS_MAX);
    within('reactionMs.max', reactionMs.max, reactionMs.min, REACTION_MS_MAX);
  }
  if (connectsPerSecond !== undefined && !(connectsPerSecond > 0)) throw new RangeError(`expected connects per second above 0, got ${connectsPerSecond}`);
  if (arrivals && !(arrivals.perSecond > 0 && Number.isFinite(arrivals.perSecond))) throw new RangeError(`expected arrivals per second above 0, got ${arrivals.perSecond}`);
  const tooMany = whyTooMany(socketsOf(users, shares), processes);
  if (tooMany !== undefined) throw new RangeError(tooMany);
}

/** How many processes so many users need. */
export function processesFor(users: number, shares: Shares = NOBODY): number {
  return Math.max(1, Math.ceil(socketsOf(users, shares) / SOCKETS_PER_PROCESS_MAX));
}

function socketsOf(users: number, { cheaters }: Shares): number {
  return users + Math.floor(users * cheaters) * (SOCKETS_PER_CHEATER - 1);
}

/** Plays the users of one process. All figures of the options are those of the whole wave. */
export async function playShare(options: WaveOptions & { seed: string }, part: WaveShare): Promise<Played> {
  const { rainId, users, signal, onProgress, creditWaitMs = 0, connectsPerSecond = 500, seed, arrivals, shares = NOBODY } = options;
  const { userId = (i: number) => `bot-${i}`, reactionMs = { min: 150, max: 2_000 } } = options;
  const now = options.now ?? (() => performance.now());
  checkWave({ ...options, reactionMs }, part.of);
  const address = gatewayAddress(options.url);
  const random = randomSource(seed, part.of === 1 ? 'swarm' : `swarm/${part.index}`);
  const clock = new ServerClock(now);
  const throttle = new Throttle(connectsPerSecond / part.of, now);
  const behaviours = behavioursOf(shares, users, seed);
  const moments = arrivals && arrivalsMs(arrivals, users, seed);
  const from = sourceAddresses(address, users);
  const startedAt = now() - part.begunMsAgo;
  const mine = Array.from({ length: Math.ceil((users - part.index) / part.of) }, (_, i) => part.index + i * part.of);
  const counters = new WaveCounters(mine.filter((i) => behaviours[i] !== 'cheater').length, startedAt);
  const around: LoadtestEnvironment = {
    address, rainId, tokenFor: options.tokenFor, creditWaitMs, throttle, clock, now, random, retryPolicy: { ...RETRY_POLICY, ...options.retryPolicy }, counters, overheard: {},
    ...(moments && { inPlaceAt: startedAt + (users * 1_000) / connectsPerSecond + SETTLING_MS }),
  };
  const players = mine.map((i) => {
    const self: BotSelf = {
      userId: userId(i), behaviour: behaviours[i]!,
      reactionMs: moments ? moments[i]! : reactionMs.min + random.belowNumber(reactionMs.max - reactionMs.min + 1),
      localAddress: from.length > 0 ? from[i % from.length] : undefined,
    };
    return behaviours[i] === 'cheater' ? new Cheater(around, self) : new Bot(around, self);
  });

  const abort = () => {
    throttle.close();
    for (const player of players) player.abort();
  };
  const ticker = onProgress && setInterval(() => onProgress(counters.progress), PROGRESS_MS);
  const runs = players.map((player) => player.run());
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  const unreached = options.reachMs === undefined ? undefined : setTimeout(() => {
    if (counters.welcomes > 0) return;
    counters.lastFailure ??= { kind: 'unreachable', reason: `no answer within ${options.reachMs! / 1_000} s` };
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
    throttle.close();
    signal?.removeEventListener('abort', abort);
  }
  onProgress?.(counters.progress);
  return { counters, clock, durationMs: now() - startedAt };
}

function within(name: string, value: number, least: number, most: number): void {
  if (!(Number.isInteger(value) && value >= least && value <= most)) throw new RangeError(`expected ${name} from ${least} to ${most}, got ${value}`);
}
