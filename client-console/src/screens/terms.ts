import { durationText } from '../words/figures.ts';
import { useLanguage } from '../words/language.ts';

export const FOREVER = 'forever';
const TERMS_MS = [600_000, 3_600_000, 86_400_000, 7 * 86_400_000];

/** The choices for a duration: a few usual ones, or no end. */
export function useTerms(): readonly (readonly [string, string])[] {
  const { shared, language } = useLanguage();
  return [[FOREVER, shared.forever], ...TERMS_MS.map((ms) => [String(ms), durationText(ms, language)] as const)];
}
