import type { Audit, RainReport } from '../operator/audit.ts';
import { describeToldTwice } from '../operator/audit/findings.ts';
import { countKinds } from '../operator/audit/tampering.ts';
import { EQUATION_PARTS, EQUATION_WORDS } from '../rain/equation-parts.ts';
import { formatMoney } from '../rain/money.ts';
import { paint, table } from './style.ts';

export function describeReport(report: RainReport): string {
  const terms = EQUATION_PARTS.map((part) => [EQUATION_WORDS[part], report[part], report.counts[part]]);
  const rows = table(['', 'amount', 'packets'], [...terms, ['budget', report.budget, report.counts.budget]]);
  return `${rows}\n${verdict(report)}`;
}

function verdict({ balanced, told_twice, budget, packets, winners, rehearsal }: RainReport): string {
  if (!balanced) return paint.bad(rehearsal ? 'THE TEST MONEY DOES NOT ADD UP.' : 'THE MONEY DOES NOT ADD UP.');
  const sentence = paint.good(
    `The money adds up: ${budget} in ${packets} packets, ${winners} winners.${rehearsal ? ' It was a rehearsal: no real money moved.' : ''}`,
  );
  return told_twice === 0
    ? sentence
    : `${sentence}\n${paint.bad(`TOLD TWICE: ${told_twice}. Compensate these users, then run rain dead discard.`)}`;
}

/** All findings of the audit; the verdict is the last line. */
export function describeAudit({ report, problems, notices, toldTwice, acknowledged, queues }: Audit): string {
  const lines: string[] = [];
  if (queues) {
    const { waiting, active, delayed, failed } = queues.jobs;
    const load = Object.entries({ waiting, active, delayed, failed }).map(
      ([state, { jobs, claims }]) => `${jobs} ${state} (${claims} claims)`,
    );
    lines.push(
      `queue: ${load.join(', ')}; dead letters: ${queues.dead.count}, ${formatMoney(queues.dead.cents)}${queues.complete ? '' : '; at least, because there are more'}`,
    );
  }
  for (const { letterId, deadReason, reason, actor, returned } of acknowledged) {
    lines.push(
      `discarded: ${letterId}, ${deadReason}, ${returned ? `${formatMoney(returned.amountCents)} went back` : 'no money'}, by ${actor}: ${reason}`,
    );
  }
  if (report.discarded > acknowledged.length)
    lines.push(`and ${report.discarded - acknowledged.length} more discarded`);
  lines.push(...toldTwice.map(describeToldTwice), ...notices, ...problems);
  if (queues && queues.dead.count > 0)
    lines.push(`claims that are not paid until you requeue or discard them with rain dead: ${queues.dead.count}`);
  return [...lines, describeReport(report)].join('\n');
}

/** Amounts are decimal strings. */
export function auditJson({
  report,
  problems,
  notices,
  tampering,
  toldTwice,
  acknowledged,
  queues,
}: Audit): Record<string, unknown> {
  return {
    ...report,
    ...(problems.length > 0 && { problems }),
    ...(notices.length > 0 && { notices }),
    ...(tampering.length > 0 && { tampering: countKinds(tampering) }),
    ...(toldTwice.length > 0 && {
      promises: toldTwice.map(({ amountCents, ...plain }) => ({ ...plain, amount: formatMoney(amountCents) })),
    }),
    ...(acknowledged.length > 0 && {
      acknowledged: acknowledged.map(({ returned, at, ...plain }) => ({
        ...plain,
        at: new Date(at).toISOString(),
        ...(returned && { redPacketId: returned.redPacketId, amount: formatMoney(returned.amountCents) }),
      })),
    }),
    ...(queues && {
      queue: {
        ...queues.jobs,
        dead: { count: queues.dead.count, amount: formatMoney(queues.dead.cents) },
        complete: queues.complete,
      },
    }),
  };
}
