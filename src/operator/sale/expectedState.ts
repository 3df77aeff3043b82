import type { actions } from '../../ledger/actions.ts';
import type { BookedSale } from '../../ledger/sales.ts';
import type { StoredState } from '../../rain/rain.ts';

type Done = Awaited<ReturnType<typeof actions>>;

/**
 * How far a sale is by the record of what was done to it. `over`: its time has come, or somebody has ended it or given
 * it up.
 */
export type Progress = 'draft' | 'loaded' | 'paused' | 'over' | 'settled';

/** Ends of a sale before its time. The settler reads the same record. */
const ENDS: readonly string[] = ['end-sale', 'write-off'];

/** Whether somebody has ended it, or it was over before. */
export function isEnded({ sealedAt, settledAt }: Pick<BookedSale, 'sealedAt' | 'settledAt'>, done: Done): boolean {
  return sealedAt !== undefined || settledAt !== undefined || done.some(({ verb }) => ENDS.includes(verb));
}

/** @param now Redis's clock, epoch ms */
export function progressOf(
  sale: Pick<BookedSale, 'sealedAt' | 'settledAt' | 'closesAt'>,
  done: Done,
  now: number,
): Progress {
  if (sale.settledAt !== undefined) return 'settled';
  if (isEnded(sale, done) || now >= sale.closesAt) return 'over';
  const last = done.findLast(({ verb }) => verb === 'pause' || verb === 'resume');
  if (last?.verb === 'pause') return 'paused';
  return last || done.some(({ verb }) => verb === 'load') ? 'loaded' : 'draft';
}

/**
 * The states that Redis may have then, the right one first: the settler closes what is over, whatever its state is, and
 * settles it last.
 */
export const STATES: Readonly<Record<Progress, readonly [right: StoredState, ...allowed: StoredState[]]>> = {
  draft: ['draft'],
  loaded: ['loaded'],
  paused: ['paused'],
  over: ['closed', 'draft', 'loaded', 'paused'],
  settled: ['settled', 'closed'],
};
