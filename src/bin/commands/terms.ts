import type { Command } from 'commander';
import { askedTermNames, describeTerm, TERM_NAMES, termWords, type AskedTermName, type AskedTerms, type TermDescription, type Terms } from '../../rain/terms.ts';
import { parseCount } from '../time.ts';

/** What commander makes of the options below. */
export type TermOptions = { -readonly [N in AskedTermName]?: AskedTerms[N] };

/** One option for each term that the operator may ask for. @param which of these rains; absent: of all */
export function withTerms(command: Command, ...which: TermDescription['suits'][]): Command {
  for (const name of askedTermNames(...which)) {
    const term = describeTerm(name);
    const text = term.asks ?? term.tells;
    if (term.kind === 'flag') command.option(`--${termWords(name)}`, text);
    else command.option(`--${termWords(name)} <n>`, text, parseCount(term.min, term.max));
  }
  return command;
}

/** As the verbs take them: what was not asked for is not there. */
export function termsOf(options: TermOptions): AskedTerms {
  return Object.fromEntries(askedTermNames().flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}

/** A line for each term that is not as usual: its name, and what players are told by it. */
export function tellTerms(terms: Terms): [string, string][] {
  return TERM_NAMES.flatMap((name): [string, string][] => {
    const { kind, tells } = describeTerm(name);
    if (terms[name] === undefined) return [];
    return [[termWords(name, ' '), kind === 'flag' ? tells : `${terms[name]}. ${tells}`]];
  });
}

/** A term that only a round can have. */
export function needsCampaign(terms: AskedTerms): boolean {
  return (Object.keys(terms) as AskedTermName[]).some((name) => describeTerm(name).suits === 'rounds');
}
