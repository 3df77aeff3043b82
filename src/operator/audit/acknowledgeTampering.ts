import { auditRain } from '../audit.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { unknownReason } from '../restore/presence.ts';
import { readReason } from '../wording.ts';
import { acknowledgedId } from './tampering.ts';

type TamperingAcknowledged = { ok: true; findings: number } | Refused;

/**
 * Acknowledges what nobody can undo, such as a win outside of the window; no money moves. Until then the rain is not
 * settled. False claims are left out: each has a letter, which is discarded.
 */
export async function acknowledgeTampering(
  context: OperatorContext,
  rainId: string,
  why: string,
  dryRun = false,
): Promise<TamperingAcknowledged> {
  const given = readReason(why);
  if (!given.ok) return given;
  const audit = await auditRain(context, rainId);
  if (!audit) return refuse('id', await unknownReason(context, rainId));
  const found = audit.tampering.filter(({ kind }) => kind !== 'false_claim');
  for (const finding of dryRun ? [] : found) {
    await context.ledger.discard({
      letterId: acknowledgedId(rainId, finding),
      rainId,
      entry: finding.sentence,
      deadReason: finding.kind,
      reason: given.reason,
      actor: context.actor,
    });
  }
  return { ok: true, findings: found.length };
}
