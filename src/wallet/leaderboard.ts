import type { Ledger } from '../ledger/ledger.ts';
import { mask } from '../rain/mask.ts';
import { formatMoney } from '../rain/money.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import { ExpiringCache } from './cache.ts';

/** The luckiest of a rain (手气最佳). `final`: the rain is settled, nothing will change. */
export interface Leaderboard {
  rainId: string;
  /** At most three, the highest first; of equal ones the earlier. Names are masked, as in the winners' ticker. */
  luckiest: { user: string; amount: string; redPacketId: string }[];
  final: boolean;
}

const PLACES = 3;
/** How long one reading serves everybody, while it may change and when it cannot, ms. */
const YOUNG_MS = 1_000;
const FINAL_MS = 60_000;
/** Rains remembered, and books looked into at once, whoever asks for whatever [R10]. */
const REMEMBERED_MAX = 1_000;
const READS_AT_ONCE = 2;
const READING_MAX = 200;

/**
 * Reads leaderboards, each at most once a second however many ask.
 * @returns `undefined` for a rain that the book does not know; rejects when the book cannot be read, or too many wait for it
 */
export function createLeaderboards(ledger: Pick<Ledger, 'luckiest'>, now?: () => number): (rainId: string) => Promise<Leaderboard | undefined> {
  const read = new ExpiringCache<{ leaderboard: Leaderboard | undefined }>(REMEMBERED_MAX, now);
  const reading = new Map<string, Promise<Leaderboard | undefined>>();
  const inSlot = createSemaphore(READS_AT_ONCE);

  async function look(rainId: string): Promise<Leaderboard | undefined> {
    const found = await inSlot(() => ledger.luckiest(rainId, PLACES));
    const leaderboard = found && {
      rainId, luckiest: found.credits.map(({ userId, amountCents, redPacketId }) => ({ user: mask(userId), amount: formatMoney(amountCents), redPacketId })), final: found.settled,
    };
    read.set(rainId, { leaderboard }, leaderboard?.final ? FINAL_MS : YOUNG_MS);
    return leaderboard;
  }

  return (rainId) => {
    const known = read.get(rainId);
    if (known) return Promise.resolve(known.leaderboard);
    let under = reading.get(rainId);
    if (!under) {
      if (reading.size >= READING_MAX) return Promise.reject(new Error('too many rains are asked for at once'));
      under = look(rainId).finally(() => reading.delete(rainId));
      reading.set(rainId, under);
    }
    return under;
  };
}
