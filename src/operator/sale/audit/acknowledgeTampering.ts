import { refuse, type OperatorContext, type Refused } from '../../context.ts';
import { readReason } from '../../wording.ts';
import { auditSale } from '../audit.ts';
import { noSaleReason } from '../lost.ts';
import { acknowledgedSaleId } from './explained.ts';

type SaleTamperingAcknowledged = { ok: true; findings: number } | Refused;

/**
 * Acknowledges what nobody can undo, such as a forged entry of the reservation log; no units move. Until then the sale
 * is not settled. Counts of units are left out, which the repair puts right, and keys of another type, of which nothing
 * can be read.
 */
export async function acknowledgeSaleTampering(
  context: OperatorContext,
  saleId: string,
  why: string,
  dryRun = false,
): Promise<SaleTamperingAcknowledged> {
  const given = readReason(why);
  if (!given.ok) return given;
  const audit = await auditSale(context, saleId);
  if (!audit) return refuse('id', await noSaleReason(context, saleId));
  const found = audit.tampering.filter(({ kind }) => kind !== 'counts' && kind !== 'units' && kind !== 'type');
  for (const finding of dryRun ? [] : found) {
    await context.ledger.discardLetter({
      letterId: acknowledgedSaleId(saleId, finding),
      saleId,
      entry: finding.sentence,
      deadReason: finding.kind,
      reason: given.reason,
      actor: context.actor,
    });
  }
  return { ok: true, findings: found.length };
}
