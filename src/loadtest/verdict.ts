import type { AuditReport, Share } from '../rain/equation.ts';
import { figure } from '../rain/figures.ts';
import { formatMoney, parseMoney } from '../rain/money.ts';
import type { SwarmReport } from './report.ts';

const NOBODY: Share = { count: 0, cents: 0n };

/** The sentence that matters. */
export interface Verdict {
  balanced: boolean;
  sentence: string;
}

/**
 * Does the money add up? By what the users were told alone: every winner has a packet of his own, always the same, and
 * money in it. With the audit of the rain also: what they were told is what was won [R8].
 * @param others what the audit has that was won by users who are not of the swarm
 */
export function judge(report: SwarmReport, audit?: AuditReport, others: Share = NOBODY): Verdict {
  const wrongs = [...contradictions(report), ...(audit ? differences(report, audit, others) : [])];
  const packets = `${figure(report.winners)} ${report.winners === 1 ? 'winner was' : 'winners were'} told ${report.told}`;
  if (wrongs.length > 0) return { balanced: false, sentence: `The money does NOT add up: ${packets}; ${wrongs.join('; ')}.` };
  const beside = others.count > 0 ? `; ${figure(others.count)} more played and won ${formatMoney(others.cents)}` : '';
  const asAudited = audit ? `, as the audit says, and the rain balances to the cent${beside}` : '';
  return { balanced: true, sentence: `The money adds up: ${packets}, each a packet of his own${asAudited}.` };
}

function contradictions(report: SwarmReport): string[] {
  const wonTwice = report.cheaters?.wonTwice ?? 0;
  const cheated = wonTwice > 0 ? [`${figure(wonTwice)} cheaters won more than once`] : [];
  if (report.faults === 0) return cheated;
  const further = report.faults - report.faultExamples.length;
  return [...report.faultExamples, ...(further > 0 ? [`and ${figure(further)} more of the kind`] : []), ...cheated];
}

function differences(report: SwarmReport, audit: AuditReport, others: Share): string[] {
  const wrongs: string[] = [];
  if (audit.rainId !== report.rainId) wrongs.push(`the audit is of ${audit.rainId}, not of ${report.rainId}`);
  if (!audit.balanced) wrongs.push('the audit itself does not add up');
  // Who was kept out for cheating may have won before, and was never told.
  const unheard = report.cheaters?.unheard ?? 0;
  const won = (parseMoney(audit.credited) ?? 0n) + (parseMoney(audit.pending) ?? 0n) - others.cents;
  const winners = audit.winners - others.count;
  if (unheard > 0 ? won < (parseMoney(report.told) ?? 0n) : formatMoney(won) !== report.told) wrongs.push(`the audit has ${formatMoney(won)} won`);
  if (winners < report.winners || winners > report.winners + unheard) wrongs.push(`the audit has ${figure(winners)} winners`);
  return wrongs;
}
