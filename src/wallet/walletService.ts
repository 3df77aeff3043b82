import type { Confirm } from '../grab/confirm.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { formatMoney } from '../rain/money.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import { RETRY_AFTER_MS_MAX } from '../platform/network/retryAfter.ts';
import type { CreditBatcher } from './creditBatcher.ts';
import { nameOf, type DeadWins } from './deadLetters.ts';
import { createExpiringCache } from './cache.ts';
import type { FoundWins, Win } from './wins.ts';

/** `pending`: on its way. `held`: waits for the operator, or was discarded. */
export type WinsStatus = 'credited' | 'pending' | 'held';
type WinStatus = Pick<Win, 'claim' | 'title'> & { status: WinsStatus };

/** A user's wins with their status; `settled`: all wins were processed, none was skipped for lack of time. */
interface Settled {
  wins: WinStatus[];
  settled: boolean;
}

interface WalletServiceOptions {
  ledger: Pick<Ledger, 'creditsAmong'>;
  findWins: (userId: string) => Promise<FoundWins>;
  isDead: DeadWins;
  creditBatcher: CreditBatcher;
  /** Only with replicas: a win that a failover may undo is not credited yet, see relay/replicated.ts. */
  confirm?: Confirm | undefined;
  /** Time limit of the whole call, ms. */
  withinMs?: number;
  onFault: (error: unknown) => void;
}

export type WalletService = ReturnType<typeof createWalletService>;

/** How long a claim is not sent again after the wallet answered "not now", and after it refused, ms. */
const RETRY_MS = 5_000;
const HELD_MS = 30_000;
const REMEMBERED_MAX = 20_000;
/** Users served at once [R10]. */
const USERS_MAX = 2_000;

/**
 * Settles on demand: a user who asks for the wallet never sees the delay of settlement. It does the credit worker's
 * work early: find → read the ledger → skip dead letters → confirm → submit. The ledger's unique keys decide who owns
 * the money [R5].
 */
export function createWalletService({
  ledger,
  findWins,
  isDead,
  creditBatcher,
  confirm,
  withinMs = 1_500,
  onFault,
}: WalletServiceOptions) {
  /** One user's requests from several screens share one run. */
  const running = new Map<string, Promise<Settled>>();
  const remembered = createExpiringCache<WinsStatus>(REMEMBERED_MAX);

  async function settleUser(userId: string): Promise<Settled> {
    const deadline = deadlineIn(withinMs);
    const found = await deadline.within(findWins(userId).catch(ignoreFault));
    if (found === 'late' || found === undefined) return { wins: [], settled: false };
    // Not limited by the deadline: without the ledger it is unknown what is credited and what is still to come.
    const credits = await ledger.creditsAmong(
      userId,
      found.wins.map(({ claim }) => claim.rainId),
    );
    let settled = found.complete;
    const wins = await Promise.all(
      found.wins.map(async (win): Promise<WinStatus> => {
        const { claim, title } = win;
        const booked = credits.get(claim.rainId);
        if (booked)
          return {
            claim,
            title,
            status:
              booked.redPacketId === claim.redPacketId && formatMoney(booked.amountCents) === claim.amount
                ? 'credited'
                : 'held',
          };
        // All claims of a settled rain are decided: one that is not in the ledger was given up.
        if (win.settled) return { claim, title, status: 'held' };
        const status = await deadline.within(submit(win).catch(ignoreFault));
        if (status === 'late' || status === undefined) settled = false;
        return { claim, title, status: status === 'late' ? 'pending' : (status ?? 'pending') };
      }),
    );
    return { wins, settled };
  }

  async function submit({ claim, shard }: Win): Promise<WinsStatus> {
    const name = nameOf(claim);
    const known = remembered.get(name);
    if (known) return known;
    const dead = await isDead(claim);
    if (dead) return dead === 'unknown' ? 'pending' : 'held';
    const [confirmed] = confirm ? await confirm(claim.rainId, shard, [claim]) : [true];
    if (!confirmed) return 'pending';
    const answer = await creditBatcher.submit(claim, shard);
    switch (answer.outcome) {
      case 'credited':
        return 'credited';
      case 'held':
        return remembered.set(name, 'held', HELD_MS);
      case 'later':
        return remembered.set(name, 'pending', Math.min(RETRY_AFTER_MS_MAX, Math.max(RETRY_MS, answer.afterMs ?? 0)));
      default:
        return answer satisfies never;
    }
  }

  function ignoreFault(error: unknown): undefined {
    onFault(error);
  }

  return {
    /**
     * Credits this user's wins, and returns in time; unfinished work continues. Rejects when the ledger cannot be read.
     */
    settle(userId: string): Promise<Settled> {
      const current = running.get(userId);
      if (current) return current;
      if (running.size >= USERS_MAX) return Promise.resolve({ wins: [], settled: false });
      const run = settleUser(userId).finally(() => running.delete(userId));
      running.set(userId, run);
      return run;
    },
  };
}
