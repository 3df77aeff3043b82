import type { Action } from '../state/responses.ts';
import { hashOf } from '../state/route.ts';
import { Empty } from '../components/awaited.tsx';
import { Pages } from '../components/pages.tsx';
import { Table } from '../components/table.tsx';
import { momentText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { ACTION_WORDS, verbText } from './action-words.ts';

const REFRESH_MS = 10_000;

const WORDS = bilingual({
  title: 'Audit log', told: 'Who did what, and when. Entries cannot be changed or removed.', when: 'When', who: 'Who', what: 'What', rain: 'Rain or sale', details: 'Details', none: 'No actions yet', noneTold: 'Every action of every operator is listed here, including those from the command line.',
}, {
  title: '操作日志', told: '谁在何时做了什么。这里的记录不能修改或删除。', when: '时间', who: '操作者', what: '操作', rain: '场次', details: '详情', none: '还没有任何操作', noneTold: '每位操作员的每个操作都会记录在这里，包括命令行。',
});

export function Actions() {
  const { words, language } = useWords(WORDS);
  const { words: verbs } = useWords(ACTION_WORDS);
  return (
    <>
      <header class="head"><div><h1>{words.title}</h1><p class="sub">{words.told}</p></div></header>
      <Pages<Action> path="actions" field="actions" everyMs={REFRESH_MS} empty={<Empty title={words.none} calm><p>{words.noneTold}</p></Empty>}>{(actions) => (
        <Table label={words.title} stacks>
          <thead><tr><th>{words.when}</th><th>{words.who}</th><th>{words.what}</th><th>{words.rain}</th><th>{words.details}</th></tr></thead>
          <tbody>{actions.map(({ id, at, actor, verb, rainId, isSale, details }) => (
            <tr key={id} data-testid="action" data-verb={verb}>
              <td class="moment"><time dateTime={at}>{momentText(at, language)}</time></td><td>{actor}</td><th scope="row">{verbText(verbs, verb)}</th>
              <td>{rainId ? <a href={hashOf(isSale ? { screen: 'sale', saleId: rainId } : { screen: 'rain', rainId })}><code>{rainId}</code></a> : '–'}</td>
              <td class="details">{Object.entries(details).map(([name, value]) => <span key={name}><i>{name}</i> {typeof value === 'string' ? value : JSON.stringify(value)}</span>)}</td>
            </tr>
          ))}</tbody>
        </Table>
      )}</Pages>
    </>
  );
}
