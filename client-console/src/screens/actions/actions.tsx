import { useState } from 'preact/hooks';
import type { Action, FieldRefusal } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { useSettled } from '../../state/useSettled.ts';
import { Empty } from '../../components/awaited.tsx';
import { Pages } from '../../components/pages.tsx';
import { Table } from '../../components/table.tsx';
import { momentText } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';
import { ACTION_WORDS, verbText } from '../action-words.ts';
import { Details } from './details.tsx';
import { Filters, NO_FILTER, queryOf, type FilterDraft } from './filters.tsx';

const REFRESH_MS = 10_000;

const WORDS = bilingual(
  {
    title: 'Audit log',
    told: 'Who did what, and when. Entries cannot be changed or removed.',
    when: 'When',
    who: 'Who',
    what: 'What',
    rain: 'Rain or sale',
    details: 'Details',
    none: 'No actions yet',
    noneTold: 'Every action of every operator is listed here, including those from the command line.',
    noMatch: 'No such action',
    noMatchTold: 'Nothing was done that fits all of this.',
    only: (what: string) => `Only ${what}`,
  },
  {
    title: '操作日志',
    told: '谁在何时做了什么。这里的记录不能修改或删除。',
    when: '时间',
    who: '操作者',
    what: '操作',
    rain: '场次',
    details: '详情',
    none: '还没有任何操作',
    noneTold: '每位操作员的每个操作都会记录在这里，包括命令行。',
    noMatch: '没有这样的操作',
    noMatchTold: '没有同时符合以上条件的操作。',
    only: (what) => `只看 ${what}`,
  },
);

export function Actions() {
  const { words, language } = useWords(WORDS);
  const { words: verbs } = useWords(ACTION_WORDS);
  const [draft, setDraft] = useState<FilterDraft>(NO_FILTER);
  const [refusals, setRefusals] = useState<readonly FieldRefusal[]>([]);
  const query = queryOf(useSettled(draft));
  const filtered = Object.keys(query).length > 0;
  const empty = (
    <Empty title={filtered ? words.noMatch : words.none} calm>
      <p>{filtered ? words.noMatchTold : words.noneTold}</p>
    </Empty>
  );
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
      </header>
      <Filters draft={draft} onChange={setDraft} refusals={refusals} />
      <Pages<Action>
        path="actions"
        query={query}
        field="actions"
        everyMs={REFRESH_MS}
        empty={empty}
        onRefusals={setRefusals}
      >
        {(actions) => (
          <Table label={words.title} stacks>
            <thead>
              <tr>
                <th>{words.when}</th>
                <th>{words.who}</th>
                <th>{words.what}</th>
                <th>{words.rain}</th>
                <th>{words.details}</th>
              </tr>
            </thead>
            <tbody>
              {actions.map((action) => (
                <tr key={action.id} data-testid="action" data-verb={action.verb}>
                  <td class="moment">
                    <time dateTime={action.at}>{momentText(action.at, language)}</time>
                  </td>
                  <td>
                    <button
                      type="button"
                      class="linklike"
                      aria-label={words.only(action.actor)}
                      onClick={() => setDraft({ ...draft, actor: action.actor })}
                    >
                      {action.actor}
                    </button>
                  </td>
                  <th scope="row">{verbText(verbs, action.verb)}</th>
                  <td>{action.rainId ? <About action={action} id={action.rainId} /> : '–'}</td>
                  <td class="wide">{Object.keys(action.details).length === 0 ? '–' : <Details action={action} />}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Pages>
    </>
  );
}

function About({ action: { isSale }, id }: { action: Action; id: string }) {
  return (
    <a class="about" href={hashOf(isSale ? { screen: 'sale', saleId: id } : { screen: 'rain', rainId: id })}>
      <code>{id}</code>
    </a>
  );
}
