import { hashOf } from '../../state/route.ts';
import { bilingual, useWords } from '../../words/language.ts';

type Tab = 'dead' | 'order-letters';

const WORDS = bilingual(
  { title: 'Dead letters', tabs: { dead: 'Of rains', 'order-letters': 'Of sales' } as Record<Tab, string> },
  { title: '死信', tabs: { dead: '红包雨', 'order-letters': '秒杀' } },
);

/** The header of both lists of dead letters. @param told what is in the list */
export function DeadHead({ tab, told }: { tab: Tab; told: string }) {
  const { words } = useWords(WORDS);
  const to = (screen: Tab) => (
    <a href={hashOf({ screen })} aria-current={tab === screen ? 'page' : undefined}>
      {words.tabs[screen]}
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
