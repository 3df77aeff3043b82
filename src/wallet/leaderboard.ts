import type { Ledger } from '../ledger/ledger.ts';
import { formatMoney } from '../rain/money.ts';
import { shownName, type WinnerNames } from '../rain/names.ts';
import { createSharedReads } from './cache.ts';

/** The luckiest winners of a rain (手气最佳). `final`: the rain is settled, nothing will change. */
export interface Leaderboard {
  rainId: string;
  /** At most three, highest first; of equal amounts the earlier one. Names are shown as in the winners' ticker. */
  luckiest: { user: string; amount: string; redPacketId: string }[];
  final: boolean;
  /** The sum of all wins of the rain, once it is final: a decimal string such as "12.21". */
  given?: string;
}

const PLACES = 3;
/**
 * How long one result serves all callers, ms: while it may change, once it is final, and of a rain that does not exist.
 */
const FRESH_MS = 1_000;
const FINAL_MS = 60_000;
const UNKNOWN_MS = 10_000;
/** Limits: cached rains, concurrent reads, and rains that wait for a read [R10]. */
const LIMITS = { rememberedMax: 1_000, atOnceMax: 2, waitingMax: 200 } as const;

/**
 * Gives `undefined` for a rain that the ledger does not have; rejects when the ledger cannot be read, or too many rains
 * wait.
 */
export function createLeaderboards(
  ledger: Pick<Ledger, 'luckiest'>,
  { names, now }: { names?: WinnerNames; now?: () => number } = {},
): (rainId: string) => Promise<Leaderboard | undefined> {
  return createSharedReads<Leaderboard | undefined>({
    ...LIMITS,
    what: 'leaderboards',
    now,
    freshMs: (leaderboard) => (leaderboard ? (leaderboard.final ? FINAL_MS : FRESH_MS) : UNKNOWN_MS),
    async read(rainId) {
      const found = await ledger.luckiest(rainId, PLACES);
      return (
        found && {
          rainId,
          luckiest: found.credits.map(({ userId, amountCents, redPacketId }) => ({
            user: shownName(userId, names),
            amount: formatMoney(amountCents),
            redPacketId,
          })),
          final: found.givenCents !== undefined,
          ...(found.givenCents !== undefined && { given: formatMoney(found.givenCents) }),
        }
      );
    },
  });
}
