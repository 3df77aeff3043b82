import { OUTCOMES } from '../../protocol/outcomes.ts';
import { outcomeName } from '../bots/outcome.ts';
import type { AuditReport, Share } from '../../rain/equation.ts';
import { figure } from '../../rain/figures.ts';
import { formatMoney, parseMoney } from '../../rain/money.ts';
import type { SwarmReport } from './report.ts';

export type Verdict = ReturnType<typeof checkMoney>;

const NOBODY: Share = { count: 0, cents: 0n };

/**
 * By the answers alone, and with the audit also: the amounts in the answers are the amounts won [R8].
 * @param others won by other users
 */
export function checkMoney(report: SwarmReport, audit?: AuditReport, others: Share = NOBODY) {
  const problems = [...contradictions(report), ...(audit ? differences(report, audit, others) : [])];
  const packets = `${figure(report.winners)} ${report.winners === 1 ? 'winner was' : 'winners were'} told ${report.told}`;
  if (problems.length > 0)
    return { balanced: false, sentence: `The money does NOT add up: ${packets}; ${problems.join('; ')}.` };
  const beside = others.count > 0 ? `; ${figure(others.count)} more played and won ${formatMoney(others.cents)}` : '';
  const balances = audit ? `and the rain balances to the cent${beside}` : '';
  if (report.winners === 0)
    return {
      balanced: true,
      sentence: `The money adds up: ${[nobody(report), balances].filter(Boolean).join(', ')}.${whyLate(report)}`,
    };
  const asAudited = audit ? `, as the audit says, ${balances}` : '';
  return { balanced: true, sentence: `The money adds up: ${packets}, each with a different packet${asAudited}.` };
}

function nobody({ outcomes }: SwarmReport): string {
  return `no simulated user won (${outcomes.map(({ name, count }) => `${figure(count)} ${name}`).join(', ')})`;
}

/** The outcomes of users who came after the end, or were not served before it. */
const LATE = [
  OUTCOMES['-3'].reason,
  ...(['gave_up', 'aborted'] as const).map((kind) => outcomeName({ kind, reason: '' })),
];
const isLate = (name: string) => LATE.some((late) => name.startsWith(late));

function whyLate({ users, outcomes }: SwarmReport): string {
  const late = outcomes.reduce((sum, { name, count }) => (isLate(name) ? sum + count : sum), 0);
  return late * 2 > users
    ? ` Most of the ${figure(users)} users were not served before the end: on a slow machine take fewer of them, or a longer rain.`
    : '';
}

function contradictions(report: SwarmReport): string[] {
  const wonTwice = report.cheaters?.wonTwice ?? 0;
  const cheated = wonTwice > 0 ? [`${figure(wonTwice)} cheaters won more than once`] : [];
  if (report.faults === 0) return cheated;
  const further = report.faults - report.faultExamples.length;
  return [
    ...report.faultExamples,
    ...(further > 0 ? [`and ${figure(further)} more faults of this kind`] : []),
    ...cheated,
  ];
}

function differences(report: SwarmReport, audit: AuditReport, others: Share): string[] {
  const problems: string[] = [];
  if (audit.rainId !== report.rainId) problems.push(`the audit is for ${audit.rainId}, not for ${report.rainId}`);
  if (!audit.balanced) problems.push('the audit itself does not add up');
  // A banned cheater may have won before the ban without receiving the answer.
  const unheard = report.cheaters?.unheard ?? 0;
  const won = (parseMoney(audit.credited) ?? 0n) + (parseMoney(audit.pending) ?? 0n) - others.cents;
  const winners = audit.winners - others.count;
  if (unheard > 0 ? won < (parseMoney(report.told) ?? 0n) : formatMoney(won) !== report.told)
    problems.push(`according to the audit ${formatMoney(won)} was won`);
  if (winners < report.winners || winners > report.winners + unheard)
    problems.push(`according to the audit there are ${figure(winners)} winners`);
  return problems;
}
