import { auditRain } from '../audit.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { readReason } from '../wording.ts';
import { lostClaimId } from './findings.ts';

type LostClaimsAcknowledged = { ok: true; claims: number } | Refused;

/**
 * Acknowledges credits whose claims are not in the log because a failover of Redis lost them. The users have the money, so nothing moves.
 * Until then such a credit cannot be told apart from one that was never won, and the rain is not settled. @param dryRun only count them
 */
export async function acknowledgeLost(context: OperatorContext, rainId: string, why: string, dryRun = false): Promise<LostClaimsAcknowledged> {
  const given = readReason(why);
  if (!given.ok) return given;
  const audit = await auditRain(context, rainId);
  if (!audit) return refuse('id', `there is no rain ${rainId}`);
  for (const { redPacketId } of dryRun ? [] : audit.lostFromLog) {
    await context.ledger.discard({ letterId: lostClaimId(redPacketId), rainId, entry: '', deadReason: 'lost_from_log', reason: given.reason, actor: context.actor });
  }
  return { ok: true, claims: audit.lostFromLog.length };
}
