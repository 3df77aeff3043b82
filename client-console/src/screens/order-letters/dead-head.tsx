import type { ComponentChildren } from 'preact';
import { Empty } from '../../components/awaited.tsx';
import { useDeadCounts, type DeadList } from '../../state/deadLetters.ts';
import { hashOf } from '../../state/route.ts';
import { countText } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';

const WORDS = bilingual(
  {
    title: 'Dead letters',
    tabs: { dead: 'Of rains', 'order-letters': 'Of sales' } as Record<DeadList, string>,
    none: { dead: 'No dead letters of rains', 'order-letters': 'No dead letters of sales' } as Record<DeadList, string>,
    others: {
      dead: (n: number) =>
        n === 1 ? 'There is 1 dead letter of a sale' : `There are ${countText(n)} dead letters of sales`,
      'order-letters': (n: number) =>
        n === 1 ? 'There is 1 dead letter of a rain' : `There are ${countText(n)} dead letters of rains`,
    } as Record<DeadList, (n: number) => string>,
  },
  {
    title: '异常记录',
    tabs: { dead: '红包雨', 'order-letters': '秒杀' },
    none: { dead: '红包雨没有异常记录', 'order-letters': '秒杀没有异常记录' },
    others: {
      dead: (n) => `秒杀有 ${countText(n)} 条异常记录`,
      'order-letters': (n) => `红包雨有 ${countText(n)} 条异常记录`,
    },
  },
);

interface DeadHeadProps {
  tab: DeadList;
  /** The content of the list. */
  told: string;
  /** Grows with each change of the list. */
  changes: number;
}

/** The header of both lists of dead letters. */
export function DeadHead({ tab, told, changes }: DeadHeadProps) {
  const { words } = useWords(WORDS);
  const counts = useDeadCounts(changes);
  const to = (screen: DeadList) => (
    <a href={hashOf({ screen })} aria-current={tab === screen ? 'page' : undefined}>
      {words.tabs[screen]} {counts[screen] > 0 && <b class="count">{countText(counts[screen])}</b>}
    </a>
  );
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{told}</p>
        </div>
      </header>
      <nav class="tabs" aria-label={words.title}>
        {to('dead')}
        {to('order-letters')}
      </nav>
    </>
  );
}

/** An empty list, which leads to the other one if letters are there. @param told why this one is empty */
export function NoDeadLetters({ tab, told }: { tab: DeadList; told: ComponentChildren }) {
  const { words } = useWords(WORDS);
  const other = tab === 'dead' ? 'order-letters' : 'dead';
  const there = useDeadCounts(0)[other];
  return (
    <Empty title={words.none[tab]} calm>
      <p>{told}</p>
      {there > 0 && (
        <p>
          <a href={hashOf({ screen: other })} data-testid="other-letters">
            {words.others[tab](there)}
          </a>
        </p>
      )}
    </Empty>
  );
}
