import { auditRain } from '../audit.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { unknownReason } from '../restore/presence.ts';
import { readReason } from '../wording.ts';
import { lostClaimId } from './findings.ts';

type LostClaimsAcknowledged = { ok: true; claims: number } | Refused;

/**
 * Acknowledges credits whose claims Redis lost. The users have the money, so nothing moves; until then the rain is not
 * settled.
 */
export async function acknowledgeLost(
  context: OperatorContext,
  rainId: string,
  why: string,
  dryRun = false,
): Promise<LostClaimsAcknowledged> {
  const given = readReason(why);
  if (!given.ok) return given;
  const audit = await auditRain(context, rainId);
  if (!audit) return refuse('id', await unknownReason(context, rainId));
  for (const { redPacketId } of dryRun ? [] : audit.lostFromLog) {
    await context.ledger.discard({
      letterId: lostClaimId(redPacketId),
      rainId,
      entry: '',
      deadReason: 'lost_from_log',
      reason: given.reason,
      actor: context.actor,
    });
  }
  return { ok: true, claims: audit.lostFromLog.length };
}
