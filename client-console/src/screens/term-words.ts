import type { TermName } from '../../../src/rain/terms.ts';
import { bilingual } from '../words/language.ts';

interface TermWords {
  label: string;
  /** Said below the label in the form, and beside it wherever the term is told. */
  hint: string;
}

/** What each term of a rain is called, and what it means. */
export const TERM_WORDS = bilingual<Record<TermName, TermWords>>({
  rehearsal: { label: 'Rehearsal', hint: 'Test money: everything runs as it will, and no real account is touched.' },
  excludeEarlierWinners: { label: 'Exclude earlier winners', hint: 'Who has won in any other round of the campaign gets nothing in these.' },
  winsMax: { label: 'Wins allowed', hint: 'Rounds of the campaign that a user may have won before this one is not for him any more.' },
}, {
  rehearsal: { label: '彩排', hint: '使用影子资金：流程与正式一致，但不动任何真实账户。' },
  excludeEarlierWinners: { label: '排除已中奖者', hint: '在本系列其他场次中过奖的人，这几场不再中奖。' },
  winsMax: { label: '中奖上限', hint: '在本系列中已中这么多场的人，这一场不再中奖。' },
});

/** A flag says what it means; a count says how many. */
export function tellTerm({ hint }: TermWords, value: true | number | undefined): string {
  return typeof value === 'number' ? String(value) : hint;
}
