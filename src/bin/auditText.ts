import type { Audit, RainReport } from '../operator/audit.ts';
import { tellPromise } from '../operator/audit/findings.ts';
import { EQUATION_PARTS, EQUATION_WORDS } from '../rain/equation-parts.ts';
import { formatMoney } from '../rain/money.ts';
import { paint } from './colours.ts';
import { table } from './table.ts';

/** The money equation as people read it, with its verdict. */
export function describeReport(report: RainReport): string {
  const parts = EQUATION_PARTS.map((part) => [EQUATION_WORDS[part], report[part], report.counts[part]]);
  const rows = table(['', 'amount', 'packets'], [...parts, ['budget', report.budget, report.counts.budget]]);
  return `${rows}\n${verdict(report)}`;
}

function verdict({ balanced, told_twice, budget, packets, winners, rehearsal }: RainReport): string {
  if (!balanced) return paint.bad(rehearsal ? 'THE SHADOW MONEY DOES NOT ADD UP.' : 'THE MONEY DOES NOT ADD UP.');
  const sentence = paint.good(`The money adds up: ${budget} in ${packets} packets, ${winners} winners.${rehearsal ? ' It was a rehearsal: no real money moved.' : ''}`);
  return told_twice === 0 ? sentence : `${sentence}\n${paint.bad(`TOLD TWICE, to be compensated and discarded with rain dead discard: ${told_twice}.`)}`;
}

/** Everything the audit found out; its verdict stands last. */
export function describeAudit({ report, problems, toldTwice, acknowledged, queues }: Audit): string {
  const parts: string[] = [];
  if (queues) {
    const { waiting, active, delayed, failed } = queues.jobs;
    const load = Object.entries({ waiting, active, delayed, failed }).map(([state, { jobs, claims }]) => `${jobs} ${state} (${claims} claims)`);
    parts.push(`queue: ${load.join(', ')}; dead letters: ${queues.dead.count}, ${formatMoney(queues.dead.cents)}${queues.complete ? '' : '; at least'}`);
  }
  for (const { letterId, deadReason, reason, actor, returned } of acknowledged) {
    parts.push(`discarded: ${letterId}, ${deadReason}, ${returned ? `${formatMoney(returned.amountCents)} went back` : 'no money'}, by ${actor}: ${reason}`);
  }
  if (report.discarded > acknowledged.length) parts.push(`and ${report.discarded - acknowledged.length} more discarded`);
  parts.push(...toldTwice.map(tellPromise), ...problems);
  if (queues && queues.dead.count > 0) parts.push(`claims that are not paid until you answer them with rain dead: ${queues.dead.count}`);
  return [...parts, describeReport(report)].join('\n');
}

/** The same for machines: the report, and what there is to tell beside it. Amounts are decimal strings. */
export function auditJson({ report, problems, toldTwice, acknowledged, queues }: Audit): Record<string, unknown> {
  return {
    ...report,
    ...(problems.length > 0 && { problems }),
    ...(toldTwice.length > 0 && { promises: toldTwice.map(({ amountCents, ...plain }) => ({ ...plain, amount: formatMoney(amountCents) })) }),
    ...(acknowledged.length > 0 && {
      acknowledged: acknowledged.map(({ returned, at, ...plain }) => ({
        ...plain, at: new Date(at).toISOString(), ...(returned && { redPacketId: returned.redPacketId, amount: formatMoney(returned.amountCents) }),
      })),
    }),
    ...(queues && { queue: { ...queues.jobs, dead: { count: queues.dead.count, amount: formatMoney(queues.dead.cents) }, complete: queues.complete } }),
  };
}
