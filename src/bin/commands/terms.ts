import type { Command } from 'commander';
import { requestedTermNames, describeTerm, TERM_NAMES, termWords, type RequestedTermName, type RequestedTerms, type TermDescription, type Terms } from '../../rain/terms.ts';
import { parseCount } from '../arguments.ts';

export type TermOptions = { -readonly [N in RequestedTermName]?: RequestedTerms[N] };

/** Adds one option for each term. @param which kind of rains; absent: all kinds */
export function withTerms<C extends Command>(command: C, ...which: TermDescription['suits'][]): C {
  for (const name of requestedTermNames(...which)) {
    const term = describeTerm(name);
    const text = term.asks ?? term.tells;
    if (term.kind === 'flag') command.option(`--${termWords(name)}`, text);
    else command.option(`--${termWords(name)} <n>`, text, parseCount(term.min, term.max));
  }
  return command;
}

/** The terms as the operator commands take them: a term without its option stays absent. */
export function termsOf(options: TermOptions): RequestedTerms {
  return Object.fromEntries(requestedTermNames().flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}

/** A line for each term that differs from the default: its name and its meaning for players. */
export function describeTerms(terms: Terms): [string, string][] {
  return TERM_NAMES.flatMap((name): [string, string][] => {
    const { kind, tells } = describeTerm(name);
    if (terms[name] === undefined) return [];
    return [[termWords(name, ' '), kind === 'flag' ? tells : `${terms[name]}. ${tells}`]];
  });
}

export function needsCampaign(terms: RequestedTerms): boolean {
  return (Object.keys(terms) as RequestedTermName[]).some((name) => describeTerm(name).suits === 'rounds');
}
