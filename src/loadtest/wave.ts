import { randomBytes } from 'node:crypto';
import { randomSource } from '../rain/fairness.ts';
import { gatewayAddress, sourceAddresses } from './address.ts';
import { arrivalsMs, type Arrivals } from './arrivals.ts';
import { Bot, type BotSelf } from './bots/bot.ts';
import { Cheater, SOCKETS_PER_CHEATER } from './bots/cheater.ts';
import { ServerClock, type Now } from './bots/clock.ts';
import { SOCKETS_PER_PROCESS_MAX, whyTooMany } from './processes/openFiles.ts';
import { behavioursOf, type Shares } from './bots/behaviours.ts';
import { checkReaction, USERS_MAX, within } from './limits.ts';
import { RETRY_POLICY, type RetryPolicy } from './bots/retryPolicy.ts';
import { reportOf, type SwarmReport } from './report/report.ts';
import { WaveCounters, type Progress } from './figures/counters.ts';
import { Throttle } from './bots/throttle.ts';
import type { LoadtestEnvironment, OnAnswer } from './environment.ts';
import { playAll, type PlayOptions } from './playAll.ts';

/** Default of `connectsPerSecond`. */
export const CONNECTS_PER_SECOND = 500;
/** From the last connect until all users have joined. */
const SETTLING_MS = 1_000;

/** Plain data, so that it can be sent to another process. */
export interface WaveSettings {
  /** `ws://host:port`, with or without the gateway's path. */
  url: string;
  rainId: string;
  users: number;
  /** Connects per second, including reconnects; default CONNECTS_PER_SECOND. */
  connectsPerSecond?: number;
  /** Limits of the reaction time after the rain opens, ms; default 150 to 2,000. Not used with `arrivals`. */
  reactionMs?: { min: number; max: number };
  /**
   * Planned distribution of the taps; counts from the opening, or from when all users should be connected if that is
   * later.
   */
  arrivals?: Arrivals;
  /** Shares of users with faults, and of cheaters; default none. */
  shares?: Shares;
  /** How long a winner waits for the message `credited`, ms; default 0: not at all. */
  creditWaitMs?: number;
  /**
   * If no user has a socket by then, the wave ends and the report has `unreached`, ms; default: only the bots' limits
   * count.
   */
  reachMs?: number;
  /** 64 hex digits; default a new one. */
  seed?: string;
  retryPolicy?: Partial<RetryPolicy>;
}

export interface WaveOptions extends WaveSettings, Omit<PlayOptions<Progress>, 'reachMs'> {
  /** The token for one user; called again for the same user after a lost connection. */
  tokenFor: (userId: string) => Promise<string>;
  /** Name of user `i`; default `bot-<i>`, so that a second wave has the same users [R6]. */
  userId?: (i: number) => string;
  now?: Now;
  /** Only for users of this process. */
  onAnswer?: OnAnswer;
}

const NOBODY: Shares = { flaky: 0, slow: 0, cheaters: 0 };

/**
 * Waits until each user has an outcome and a closed socket.
 * @throws TypeError, RangeError for a bad option; the errors of `tokenFor`
 */
export async function runWave(options: WaveOptions): Promise<SwarmReport> {
  const { rainId, arrivals, shares, seed = newSeed() } = options;
  const { counters, ...facts } = await playShare({ ...options, seed }, { index: 0, of: 1, begunMsAgo: 0 });
  return reportOf(counters, { rainId, seed, arrivals, shares, ...facts });
}

export function newSeed(): string {
  return randomBytes(32).toString('hex');
}

/** @throws RangeError with one sentence for a value out of bounds */
export function checkWave(
  { users, reactionMs, shares = NOBODY, arrivals, connectsPerSecond }: Omit<WaveSettings, 'url' | 'rainId'>,
  processes: number,
): void {
  within('users', users, 1, USERS_MAX);
  if (reactionMs) checkReaction(reactionMs);
  if (connectsPerSecond !== undefined && !(connectsPerSecond > 0))
    throw new RangeError(`expected connects per second above 0, got ${connectsPerSecond}`);
  if (arrivals && !(arrivals.perSecond > 0 && Number.isFinite(arrivals.perSecond)))
    throw new RangeError(`expected arrivals per second above 0, got ${arrivals.perSecond}`);
  const tooMany = whyTooMany(socketsOf(users, shares), processes);
  if (tooMany !== undefined) throw new RangeError(tooMany);
}

export function processesFor(users: number, shares: Shares = NOBODY): number {
  return Math.max(1, Math.ceil(socketsOf(users, shares) / SOCKETS_PER_PROCESS_MAX));
}

function socketsOf(users: number, { cheaters }: Shares): number {
  return users + Math.floor(users * cheaters) * (SOCKETS_PER_CHEATER - 1);
}

/** Plays every `of`th user. All options are those of the whole wave, which began `begunMsAgo` ms ago. */
export async function playShare(
  options: WaveOptions & { seed: string },
  share: { index: number; of: number; begunMsAgo: number },
) {
  const {
    rainId,
    users,
    creditWaitMs = 0,
    connectsPerSecond = CONNECTS_PER_SECOND,
    seed,
    arrivals,
    shares = NOBODY,
  } = options;
  const { userId = (i: number) => `bot-${i}`, reactionMs = { min: 150, max: 2_000 } } = options;
  const now = options.now ?? (() => performance.now());
  checkWave({ ...options, reactionMs }, share.of);
  const address = gatewayAddress(options.url);
  const random = randomSource(seed, share.of === 1 ? 'swarm' : `swarm/${share.index}`);
  const clock = new ServerClock(now);
  const throttle = new Throttle(connectsPerSecond / share.of, now);
  const behaviours = behavioursOf(shares, users, seed);
  const moments = arrivals && arrivalsMs(arrivals, users, seed);
  const sources = sourceAddresses(address, users);
  const startedAt = now() - share.begunMsAgo;
  const mine = Array.from(
    { length: Math.ceil((users - share.index) / share.of) },
    (_, i) => share.index + i * share.of,
  );
  const counters = new WaveCounters(mine.filter((i) => behaviours[i] !== 'cheater').length, startedAt);
  const environment: LoadtestEnvironment = {
    address,
    rainId,
    tokenFor: options.tokenFor,
    creditWaitMs,
    throttle,
    clock,
    now,
    random,
    retryPolicy: { ...RETRY_POLICY, ...options.retryPolicy },
    counters,
    overheard: {},
    onAnswer: options.onAnswer,
    inPlaceAt: moments && startedAt + (users * 1_000) / connectsPerSecond + SETTLING_MS,
  };
  const players = mine.map((i) => {
    const self: BotSelf = {
      userId: userId(i),
      behaviour: behaviours[i]!,
      localAddress: sources.length > 0 ? sources[i % sources.length] : undefined,
      reactionMs: moments ? moments[i]! : reactionMs.min + random.belowNumber(reactionMs.max - reactionMs.min + 1),
    };
    return behaviours[i] === 'cheater' ? new Cheater(environment, self) : new Bot(environment, self);
  });
  await playAll(players, options, {
    counters,
    throttle,
    onUnreached: (reason) => {
      counters.lastFailure ??= { kind: 'unreachable', reason };
    },
  });
  return { counters, clockErrorMs: clock.roundTripMs / 2, durationMs: now() - startedAt };
}
