import type { Confirm } from '../grab/confirm.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Claim } from '../rain/claim.ts';
import { formatMoney } from '../rain/money.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import { RETRY_AFTER_MS_MAX } from '../platform/network/retryable.ts';
import type { CreditBatcher } from './creditBatcher.ts';
import type { DeadWins } from './deadLetterWins.ts';
import { ExpiringCache } from './cache.ts';
import type { FoundWins, Win } from './wins.ts';

/** `pending`: it is on its way. `held`: it is with the operator, or he has discarded it. */
export type WinsStatus = 'credited' | 'pending' | 'held';

interface WinStatus extends Pick<Win, 'claim' | 'title'> {
  standing: WinsStatus;
}

/** What a user has won and where it stands; `settled`: all that could be looked for was, and nothing was left for lack of time. */
interface Settled {
  wins: WinStatus[];
  settled: boolean;
}

interface WalletServiceOptions {
  ledger: Pick<Ledger, 'creditsAmong'>;
  findWins: (userId: string) => Promise<FoundWins>;
  isDead: DeadWins;
  creditBatcher: CreditBatcher;
  /** With replicas: a win that a failover may take back is not credited yet, see relay/replicated.ts. */
  confirm?: Confirm | undefined;
  /** For all of it, ms. */
  withinMs?: number;
  onFault: (error: unknown) => void;
}

export interface WalletService {
  /**
   * Sees to it that what this user has won is credited, and ends in time; what is late goes on without him. Rejects when the book
   * cannot be read.
   */
  settle(userId: string): Promise<Settled>;
}

/** A wallet that said "not now" is left alone with that claim for so long at least, and a claim that it will not take for so long, ms. */
const AGAIN_MS = 5_000;
const HELD_MS = 30_000;
const REMEMBERED_MAX = 20_000;
/** Users who are looked after at once [R10]. */
const ASKERS_MAX = 2_000;

/**
 * Settles on demand: whoever asks what he has is credited first, so that he never sees how long settlement takes. It is the
 * credit worker's deed, done early: find → look into the book → leave the dead to the operator → confirm → hand in. None of the steps
 * decides whose the money is; the book's unique keys do [R5].
 */
export function createWalletService({ ledger, findWins, isDead, creditBatcher, confirm, withinMs = 1_500, onFault }: WalletServiceOptions): WalletService {
  /** Whoever asks on several screens at once is looked after once. */
  const asking = new Map<string, Promise<Settled>>();
  const remembered = new ExpiringCache<WinsStatus>(REMEMBERED_MAX);

  async function lookAfter(userId: string): Promise<Settled> {
    const deadline = deadlineIn(withinMs);
    const found = await deadline.within(findWins(userId).catch(missed));
    if (found === 'late' || found === undefined) return { wins: [], settled: false };
    // Waited for, whatever the time: without the book nobody knows what is still to come, nor what there is.
    const credits = await ledger.creditsAmong(userId, found.wins.map(({ claim }) => claim.rainId));
    let settled = found.complete;
    const wins = await Promise.all(found.wins.map(async (win): Promise<WinStatus> => {
      const { claim, title } = win;
      const booked = credits.get(claim.rainId);
      if (booked) return { claim, title, standing: booked.redPacketId === claim.redPacketId && formatMoney(booked.amountCents) === claim.amount ? 'credited' : 'held' };
      // All that was to be credited of a settled rain is in its book; what is not was given up.
      if (win.settled) return { claim, title, standing: 'held' };
      const standing = await deadline.within(submit(win).catch(missed));
      if (standing === 'late' || standing === undefined) settled = false;
      return { claim, title, standing: standing === 'late' ? 'pending' : standing ?? 'pending' };
    }));
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
      case 'credited': return 'credited';
      case 'held':
        remembered.set(name, 'held', HELD_MS);
        return 'held';
      case 'later':
        remembered.set(name, 'pending', Math.min(RETRY_AFTER_MS_MAX, Math.max(AGAIN_MS, answer.afterMs ?? 0)));
        return 'pending';
      default: return answer satisfies never;
    }
  }

  function missed(error: unknown): undefined {
    onFault(error);
  }

  return {
    settle(userId) {
      const under = asking.get(userId);
      if (under) return under;
      if (asking.size >= ASKERS_MAX) return Promise.resolve({ wins: [], settled: false });
      const looking = lookAfter(userId).finally(() => asking.delete(userId));
      asking.set(userId, looking);
      return looking;
    },
  };
}

function nameOf({ rainId, redPacketId, userId }: Claim): string {
  return JSON.stringify([rainId, redPacketId, userId]);
}
