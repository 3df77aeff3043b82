import type { StoredSale } from '../../store/sales.ts';
import type { OperatorContext } from '../context.ts';

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

/** The effect of a word in `held`: none of our processes holds a sale. */
export function heldReason(saleId: string, held: string): string {
  return `somebody has written ${held} as "held" of the sale, so nothing is sold in it; a worker ends that when its audit finds nothing else, or do it now with: rain sale audit ${saleId} --repair`;
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
