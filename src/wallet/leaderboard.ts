import type { Ledger } from '../ledger/ledger.ts';
import { formatMoney } from '../rain/money.ts';
import { shownName, type WinnerNames } from '../rain/names.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import { createExpiringCache } from './cache.ts';

/** The luckiest winners of a rain (手气最佳). `final`: the rain is settled, nothing will change. */
export interface Leaderboard {
  rainId: string;
  /** At most three, highest first; of equal amounts the earlier one. Names are shown as in the winners' ticker. */
  luckiest: { user: string; amount: string; redPacketId: string }[];
  final: boolean;
}

const PLACES = 3;
/** How long one result serves all callers, ms: while it may change, once it is final, and of a rain that does not exist. */
const FRESH_MS = 1_000;
const FINAL_MS = 60_000;
const UNKNOWN_MS = 10_000;
/** Limits: cached rains, concurrent reads, and rains that wait for a read [R10]. */
const REMEMBERED_MAX = 1_000;
const READS_AT_ONCE = 2;
const READING_MAX = 200;

/** Gives `undefined` for a rain that the ledger does not have; rejects when the ledger cannot be read, or too many rains wait. */
export function createLeaderboards(ledger: Pick<Ledger, 'luckiest'>, { names, now }: { names?: WinnerNames; now?: () => number } = {}): (rainId: string) => Promise<Leaderboard | undefined> {
  const cache = createExpiringCache<{ leaderboard: Leaderboard | undefined }>(REMEMBERED_MAX, now);
  const reading = new Map<string, Promise<Leaderboard | undefined>>();
  const inSlot = createSemaphore(READS_AT_ONCE);

  async function load(rainId: string): Promise<Leaderboard | undefined> {
    const found = await inSlot(() => ledger.luckiest(rainId, PLACES));
    const leaderboard = found && {
      rainId, luckiest: found.credits.map(({ userId, amountCents, redPacketId }) => ({ user: shownName(userId, names), amount: formatMoney(amountCents), redPacketId })), final: found.settled,
    };
    cache.set(rainId, { leaderboard }, leaderboard ? (leaderboard.final ? FINAL_MS : FRESH_MS) : UNKNOWN_MS);
    return leaderboard;
  }

  return (rainId) => {
    const known = cache.get(rainId);
    if (known) return Promise.resolve(known.leaderboard);
    let pending = reading.get(rainId);
    if (!pending) {
      if (reading.size >= READING_MAX) return Promise.reject(new Error('too many leaderboards are requested at once'));
      pending = load(rainId).finally(() => reading.delete(rainId));
      reading.set(rainId, pending);
    }
    return pending;
  };
}
