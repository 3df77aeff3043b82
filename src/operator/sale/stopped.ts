import { saleHoldReasonOf } from '../../store/holds.ts';
import type { StoredSale } from '../../store/sales.ts';
import type { OperatorContext } from '../context.ts';
import { quoted } from './audit/findings.ts';

/** Actions that are searched for the last pause [R10]. */
const ACTIONS_MAX = 100;

/** Why the background audit has paused the sale. @returns undefined: an operator has paused it */
export async function pauseReason(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  saleId: string,
): Promise<string | undefined> {
  const last = (await ledger.latestActions({ rainId: saleId, limit: ACTIONS_MAX })).find(
    ({ verb }) => verb === 'pause' || verb === 'resume',
  );
  const reason: unknown = last?.verb === 'pause' ? last.details?.['reason'] : undefined;
  return typeof reason === 'string' ? reason : undefined;
}

export function pausedNotice(saleId: string, reason: string): string {
  return `the background audit has paused the sale: ${reason}; when that is put right or acknowledged, go on with: rain sale resume ${saleId}`;
}

/** Why a sale is held: a worker has found that the stores differ, or somebody has written a word there. */
export function heldReason(saleId: string, held: string): string {
  const reason = saleHoldReasonOf(held);
  if (reason === 'unknown_to_ledger')
    return `the ledger did not know the sale, so a worker holds it and nothing is sold in it; a worker ends that when it knows the sale; see rain restore check ${saleId}`;
  if (reason === 'ledger_behind')
    return `Redis has later statuses of orders than the ledger, which is an older state, so a worker holds the sale: nothing is sold in it, and no order of it times out, until the shop has reported them again; see rain restore check ${saleId}`;
  return `somebody has written ${quoted(held)} as "held" of the sale, so nothing is sold in it; a worker ends that when its audit finds nothing else, or do it now with: rain sale audit ${saleId} --repair`;
}

/**
 * Why no purchase of a sale can be decided, or some of its figures are the ledger's.
 * @returns undefined: all counts can be read
 */
export function damageReason({ saleId, damaged }: Pick<StoredSale, 'saleId' | 'damaged'>): string | undefined {
  return damaged.length === 0
    ? undefined
    : `Redis has no whole number as ${damaged.join(', ')} of the stock: somebody has changed it; see rain sale audit ${saleId}, and put it right with --repair`;
}
