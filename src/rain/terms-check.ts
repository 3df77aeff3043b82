import { z } from 'zod';
import type { Refusal } from './refusal.ts';
import {
  requestedTermNames,
  describeTerm,
  TERM_NAMES,
  type RequestedTermName,
  type RequestedTerms,
  type TermName,
  type Terms,
} from './terms.ts';

type TermsInput = {
  readonly [N in RequestedTermName]?:
    | (RequestedTerms[N] extends true | undefined ? boolean : RequestedTerms[N])
    | undefined;
};

/** The terms in an operator's request [R12]. A flag that is off is the default, and is left out. */
export const requestedTerms: z.ZodType<RequestedTerms, TermsInput> = z
  .strictObject(fields(requestedTermNames(), requestSchema), 'expected an object of terms')
  .transform(
    (requested) =>
      Object.fromEntries(
        Object.entries(requested).filter(([, value]) => value !== undefined && value !== false),
      ) as RequestedTerms,
  );

/** Terms as stored and shown; unknown terms of a newer version are passed on unchanged. */
export const recordedTerms = z.looseObject(fields(TERM_NAMES, recordedSchema)) as unknown as z.ZodType<Terms, Terms>;

function fields<N extends TermName>(
  names: readonly N[],
  schema: (name: TermName) => z.ZodType,
): Record<string, z.ZodType> {
  return Object.fromEntries(names.map((name) => [name, schema(name)]));
}

function requestSchema(name: TermName): z.ZodType {
  const term = describeTerm(name);
  return (term.kind === 'flag' ? z.boolean('expected true or false') : count(term))
    .optional()
    .describe(sentence(term.asks ?? term.tells));
}

function recordedSchema(name: TermName): z.ZodType {
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

/** Refuses terms that this kind of rain cannot have. */
export function checkTerms(terms: RequestedTerms, isRound: boolean): Refusal[] {
  return (Object.keys(terms) as RequestedTermName[]).flatMap((name) => {
    const { suits, unsuited = `only ${suits} can have it` } = describeTerm(name);
    return suits === 'all' || (suits === 'rounds') === isRound ? [] : [{ field: `terms.${name}`, reason: unsuited }];
  });
}
