import type { Attempt, Attempts } from './family.ts';

export interface Verdict {
  family: string;
  attempts: number;
  /** Attempts that were not refused, an honest request that was, and missing facts: a sentence each. */
  notHeld: string[];
}

/** Characters of an answer that a sentence shows. */
const SHOWN_MAX = 300;

/**
 * A family holds when each attempt was refused, and an honest request was not: without one, a refusal might have
 * another reason.
 */
export function judge(family: string, { made }: Pick<Attempts, 'made'>, thrown?: unknown): Verdict {
  const attacks = made.filter(({ isControl }) => !isControl);
  const notHeld = made.filter(({ ok }) => !ok).map(sentenceOf);
  if (attacks.length === 0) notHeld.push('nothing was tried');
  if (!made.some(({ isControl, ok }) => isControl && ok)) notHeld.push('no honest request has succeeded');
  if (thrown !== undefined)
    notHeld.push(
      `it broke off after ${made.at(-1)?.what ?? 'nothing'}: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  return { family, attempts: attacks.length, notHeld };
}

const sentenceOf = ({ what, isControl, got, expected }: Attempt): string =>
  `${isControl ? 'honest: ' : ''}${what}: expected ${expected}, came ${got.slice(0, SHOWN_MAX)}`;
