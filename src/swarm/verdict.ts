import type { AuditReport } from '../rain/equation.ts';
import { formatMoney, parseMoney } from '../rain/money.ts';
import type { SwarmReport } from './report.ts';

/** The sentence that matters. */
export interface Verdict {
  adds_up: boolean;
  sentence: string;
}

/**
 * Does the money add up? By what the users were told alone: every winner has a packet of his own, always the same, and
 * money in it. With the audit of the rain, in which only these users took part, also: what they were told is what was
 * won [R8].
 */
export function judge(report: SwarmReport, audit?: AuditReport): Verdict {
  const wrongs = [...contradictions(report), ...(audit ? differences(report, audit) : [])];
  const packets = `${figure(report.winners)} ${report.winners === 1 ? 'winner was' : 'winners were'} told ${report.told}`;
  if (wrongs.length > 0) return { adds_up: false, sentence: `The money does NOT add up: ${packets}; ${wrongs.join('; ')}.` };
  const asAudited = audit ? ', as the audit says, and the rain balances to the cent' : '';
  return { adds_up: true, sentence: `The money adds up: ${packets}, each a packet of his own${asAudited}.` };
}

function contradictions(report: SwarmReport): string[] {
  const wonTwice = report.cheaters?.wonTwice ?? 0;
  const cheated = wonTwice > 0 ? [`${figure(wonTwice)} cheaters won more than once`] : [];
  if (report.faults === 0) return cheated;
  const further = report.faults - report.faultExamples.length;
  return [...report.faultExamples, ...(further > 0 ? [`and ${figure(further)} more of the kind`] : []), ...cheated];
}

function differences(report: SwarmReport, audit: AuditReport): string[] {
  const wrongs: string[] = [];
  if (audit.rainId !== report.rainId) wrongs.push(`the audit is of ${audit.rainId}, not of ${report.rainId}`);
  if (!audit.adds_up) wrongs.push('the audit itself does not add up');
  // Who was kept out for cheating may have won before, and was never told.
  const unheard = report.cheaters?.unheard ?? 0;
  const won = (parseMoney(audit.credited) ?? 0n) + (parseMoney(audit.pending) ?? 0n);
  if (unheard > 0 ? won < (parseMoney(report.told) ?? 0n) : formatMoney(won) !== report.told) wrongs.push(`the audit has ${formatMoney(won)} won`);
  if (audit.winners < report.winners || audit.winners > report.winners + unheard) wrongs.push(`the audit has ${figure(audit.winners)} winners`);
  return wrongs;
}

function figure(count: number): string {
  return count.toLocaleString('en-US');
}
