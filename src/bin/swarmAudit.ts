import { setTimeout as sleep } from 'node:timers/promises';
import { auditRain, type Audit } from '../operator/audit.ts';
import type { OperatorContext } from '../operator/context.ts';
import { wonByOthers } from '../operator/winners/others.ts';
import type { Share } from '../rain/equation.ts';

const AUDIT_TRIES = 100;
const AGAIN_MS = 100;

/** Whether a user id belongs to the swarm: `<prefix>0`, `<prefix>1` … */
export function swarmUsers(users: number, prefix = 'bot-'): (userId: string) => boolean {
  return (userId) => {
    const index = userId.startsWith(prefix) ? userId.slice(prefix.length) : '';
    return /^(0|[1-9]\d*)$/.test(index) && Number(index) < users;
  };
}

/** Audits until nothing is pending and no other user wins meanwhile, or the tries are used up. Empty when there is no such rain. */
export async function auditBeside(context: OperatorContext, rainId: string, isOfSwarm: (userId: string) => boolean): Promise<{ audit?: Audit; others?: Share }> {
  let others = await wonByOthers(context, rainId, isOfSwarm);
  for (let tries = 1; ; tries++) {
    const audit = await auditRain(context, rainId);
    if (!audit) return {};
    const after = await wonByOthers(context, rainId, isOfSwarm);
    const still = after.count === others.count && audit.equation.pending.count === 0;
    if (still || tries === AUDIT_TRIES) return { audit, others: after };
    others = after;
    await sleep(AGAIN_MS);
  }
}
