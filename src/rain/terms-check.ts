import { z } from 'zod';
import type { Refusal } from './refusal.ts';
import { requestedTermNames, describeTerm, TERM_NAMES, type RequestedTermName, type RequestedTerms, type TermName, type Terms } from './terms.ts';

type Wished = { readonly [N in RequestedTermName]?: (RequestedTerms[N] extends true | undefined ? boolean : RequestedTerms[N]) | undefined };

/** What an operator may ask for, from the outside [R12]. A flag that is off is at its default, and left out. */
export const requestedTerms: z.ZodType<RequestedTerms, Wished> = z.strictObject(fields(requestedTermNames(), wished), 'expected an object of terms')
  .transform((asked) => Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined && value !== false)) as RequestedTerms);

/** As they are stored and told: those of a newer version are carried through as they are. */
export const recordedTerms = z.looseObject(fields(TERM_NAMES, told)) as unknown as z.ZodType<Terms, Terms>;

function fields<N extends TermName>(names: readonly N[], schema: (name: TermName) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(names.map((name) => [name, schema(name)]));
}

function wished(name: TermName): z.ZodType {
  const term = describeTerm(name);
  return (term.kind === 'flag' ? z.boolean('expected true or false') : count(term)).optional().describe(sentence(term.asks ?? term.tells));
}

function told(name: TermName): z.ZodType {
  const term = describeTerm(name);
  return (term.kind === 'flag' ? z.literal(true) : count(term)).exactOptional().describe(term.tells);
}

function count({ min, max }: { min: number; max: number }): z.ZodType {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected);
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** Terms that a rain of this kind cannot have. */
export function checkTerms(terms: RequestedTerms, isRound: boolean): Refusal[] {
  return (Object.keys(terms) as RequestedTermName[]).flatMap((name) => {
    const { suits, unsuited = `only ${suits} can have it` } = describeTerm(name);
    return suits === 'all' || (suits === 'rounds') === isRound ? [] : [{ field: `terms.${name}`, reason: unsuited }];
  });
}
