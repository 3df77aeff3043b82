import type { TermName, Visibility } from '../../../src/rain/terms.ts';
import { bilingual } from '../words/language.ts';

/**
 * The name of each term of a rain, and its meaning, which stands below the name in the form and beside it elsewhere.
 */
export const TERM_WORDS = bilingual<Record<TermName, Record<'label' | 'hint', string>>>(
  {
    rehearsal: {
      label: 'Rehearsal',
      hint: 'Test money: everything runs as in a real rain, and no real account is touched.',
    },
    excludeEarlierWinners: {
      label: 'Exclude earlier winners',
      hint: 'Users who have won any other round of the campaign win nothing in these rounds.',
    },
    unlisted: { label: 'Unlisted', hint: 'Nobody is told of it: only users who know the id see it.' },
    invitedOnly: { label: 'By invitation', hint: 'Only users whose token names it see it and take part.' },
    winsMax: {
      label: 'Wins allowed',
      hint: 'A user who has won this many rounds of the campaign wins nothing in this one.',
    },
  },
  {
    rehearsal: { label: '彩排', hint: '使用测试资金：流程与正式一致，但不动任何真实账户。' },
    excludeEarlierWinners: { label: '排除已中奖者', hint: '在本系列其他场次中过奖的用户，这几场不再中奖。' },
    unlisted: { label: '不公开列出', hint: '不主动通知任何人：只有知道编号的用户能看到。' },
    invitedOnly: { label: '仅限受邀', hint: '只有令牌中写明此编号的用户能看到并参与。' },
    winsMax: { label: '中奖上限', hint: '在本系列中已中这么多场的用户，这一场不再中奖。' },
  },
);

/** The visibility of a sale: the same as of a rain. */
export const VISIBILITY = ['unlisted', 'invitedOnly'] as const satisfies readonly (keyof Visibility)[];

/** For a flag its meaning, for a count the number. */
export function formatTerm({ hint }: { hint: string }, value: true | number | undefined): string {
  return typeof value === 'number' ? String(value) : hint;
}
