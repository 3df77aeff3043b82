import { BatchRefused, type PayoutProvider, type PostOutcome } from './payoutProvider.ts';
import type { DeadReason } from './deadLetter.ts';
import type { Logged, LoggedClaim, Lost } from './logEntries.ts';

/**
 * An entry that is not accepted yet, with its reason. `leftMs`: how long it may still be accepted; absent: nobody says.
 */
export type Late<Entry extends Logged> = Entry & { detail: string; afterMs?: number; leftMs?: number };

/** All lists are ordered as in the log. */
export interface Posted<Entry extends Logged = LoggedClaim, Reason extends string = DeadReason> {
  committed: Entry[];
  late: Late<Entry>[];
  lost: Lost<Reason>[];
}

/** Posts one batch: one outcome per entry, in order. @throws BatchRefused to have the batch bisected */
type PostBatch<Entry extends Logged, Reason extends string> = (
  batch: readonly Entry[],
) => Promise<readonly PostOutcome<Reason>[]>;

/**
 * Posts a batch. A refused batch is halved until each entry that cannot be accepted is alone, so that it does not block
 * the others. One poison entry among 500 costs 18 more transactions, 500 of them 998.
 * @param refused the reason of an entry that is refused alone
 * @throws any other error of `post`; the next attempt finds committed entries done
 */
export async function bisect<Entry extends Logged, Reason extends string>(
  entries: readonly Entry[],
  refused: Reason,
  post: PostBatch<Entry, Reason>,
): Promise<Posted<Entry, Reason>> {
  if (entries.length === 0) return { committed: [], late: [], lost: [] };
  try {
    return sort(entries, await post(entries));
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    const [only] = entries;
    if (only && entries.length === 1)
      return {
        committed: [],
        late: [],
        lost: [{ index: only.index, entry: only.entry, reason: refused, detail: error.message }],
      };
    const middle = Math.ceil(entries.length / 2);
    const first = await bisect(entries.slice(0, middle), refused, post);
    const second = await bisect(entries.slice(middle), refused, post);
    return {
      committed: [...first.committed, ...second.committed],
      late: [...first.late, ...second.late],
      lost: [...first.lost, ...second.lost],
    };
  }
}

/** Posts claims to a payout provider, bisecting. */
export function postBisecting(
  balance: PayoutProvider,
  rainId: string,
  claims: readonly LoggedClaim[],
  apart = false,
): Promise<Posted> {
  return bisect<LoggedClaim, DeadReason>(claims, 'refused', async (batch) => {
    const outcomes = await balance.post(
      rainId,
      batch.map(({ claim }) => claim),
      apart,
    );
    if (outcomes.length !== batch.length)
      throw new Error(`the payout provider returned ${outcomes.length} outcomes for ${batch.length} claims`);
    return outcomes;
  });
}

function sort<Entry extends Logged, Reason extends string>(
  entries: readonly Entry[],
  outcomes: readonly PostOutcome<Reason>[],
): Posted<Entry, Reason> {
  if (outcomes.length !== entries.length)
    throw new Error(`${outcomes.length} outcomes were returned for ${entries.length} entries`);
  const posted: Posted<Entry, Reason> = { committed: [], late: [], lost: [] };
  entries.forEach((one, i) => {
    const { index, entry } = one;
    const outcome = outcomes[i]!;
    switch (outcome.outcome) {
      case 'commit':
        return posted.committed.push(one);
      case 'reconsumeLater':
        return posted.late.push({
          ...one,
          detail: outcome.detail,
          ...(outcome.afterMs !== undefined && { afterMs: outcome.afterMs }),
        });
      case 'giveUp':
        return posted.lost.push({ index, entry, reason: outcome.reason, detail: outcome.detail });
      default:
        return outcome satisfies never;
    }
  });
  return posted;
}
