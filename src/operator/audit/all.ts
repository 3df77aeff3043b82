import { auditRain, type Audit } from '../audit.ts';
import type { OperatorContext } from '../context.ts';

/** One audited rain. `fault`: it could not be audited, which must not hide the others. */
export type AuditedRain = { rainId: string; title: string } & ({ audit: Audit } | { fault: unknown });

/**
 * Audits many rains one after the other, newest first.
 * @param which `unsettled`: only rains that are not settled
 */
export async function* auditAll(context: OperatorContext, which: 'all' | 'unsettled', limit: number): AsyncGenerator<AuditedRain> {
  for (const { id: rainId, title } of await context.ledger.rains(limit, which)) {
    try {
      const audit = await auditRain(context, rainId);
      if (audit) yield { rainId, title, audit };
    } catch (fault) {
      yield { rainId, title, fault };
    }
  }
}
