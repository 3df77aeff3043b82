import { useState } from 'preact/hooks';
import type { RainDetail, Winner } from '../state/responses.ts';
import { ApiClient } from '../state/request.ts';
import { hashOf } from '../state/route.ts';
import { useRequest } from '../state/useApi.ts';
import { useSettled } from '../state/useSettled.ts';
import { Awaited, Empty } from '../components/awaited.tsx';
import { Field } from '../components/field.tsx';
import { Pages } from '../components/pages.tsx';
import { Table } from '../components/table.tsx';
import { momentText, moneyText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { RainHead } from './rain/head.tsx';

const REFRESH_MS = 5_000;

const WORDS = bilingual(
  {
    search: 'Search for a user or a packet',
    user: 'User',
    amount: 'Amount',
    at: 'Won at',
    status: 'Money',
    packet: 'Packet',
    csv: 'Download CSV',
    sheet: 'List to sign',
    none: 'Nobody has won yet',
    noneTold: 'Winners appear here at once, even while their money is on its way.',
    noMatch: 'No such winner in this rain',
    noMatchTold: 'Enter a complete user id, or the beginning of a packet id.',
  },
  {
    search: '搜索用户或红包',
    user: '用户',
    amount: '金额',
    at: '时间',
    status: '入账',
    packet: '红包',
    csv: '下载 CSV',
    sheet: '签收表',
    none: '还没有人中奖',
    noneTold: '抢到红包的人会立即出现在这里，入账途中也会显示。',
    noMatch: '本场没有这位中奖者',
    noMatchTold: '请输入完整的用户编号，或红包编号的开头。',
  },
);

export function Winners({ rainId }: { rainId: string }) {
  const { words, shared, language } = useWords(WORDS);
  const path = `rains/${encodeURIComponent(rainId)}`;
  const request = useRequest<RainDetail>(path, REFRESH_MS);
  const [typed, setTyped] = useState('');
  const search = useSettled(typed).trim();
  return (
    <Awaited request={request}>
      {(rain) => (
        <>
          <RainHead rain={rain} tab="winners">
            <a class="button" href={hashOf({ screen: 'winners-sheet', rainId })} data-testid="to-sheet">
              {words.sheet}
            </a>
            <a
              class="button"
              href={ApiClient.address(`${path}/winners.csv`)}
              download={`winners-${rainId}.csv`}
              data-testid="csv"
            >
              {words.csv}
            </a>
          </RainHead>
          <div class="tools">
            <Field label={words.search} type="search" value={typed} onInput={setTyped} testId="search" />
          </div>
          <Pages<Winner>
            path={`${path}/winners`}
            query={search === '' ? {} : { search }}
            field="winners"
            everyMs={REFRESH_MS}
            empty={
              search === '' ? (
                <Empty title={words.none}>
                  <p>{words.noneTold}</p>
                </Empty>
              ) : (
                <Empty title={words.noMatch} calm>
                  <p>{words.noMatchTold}</p>
                </Empty>
              )
            }
          >
            {(winners) => (
              <Table label={words.user}>
                <thead>
                  <tr>
                    <th>{words.user}</th>
                    <th class="number">{words.amount}</th>
                    <th>{words.at}</th>
                    <th>{words.status}</th>
                    <th>{words.packet}</th>
                  </tr>
                </thead>
                <tbody>
                  {winners.map(({ redPacketId, userId, amount, at, status }) => (
                    <tr key={redPacketId} data-testid="winner">
                      <th scope="row">{userId}</th>
                      <td class="number">
                        <b>{moneyText(amount)}</b>
                      </td>
                      <td>{momentText(at, language)}</td>
                      <td>
                        <span class="chip" data-status={status}>
                          {shared.statuses[status]}
                        </span>
                      </td>
                      <td>
                        <code>{redPacketId}</code>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </Table>
            )}
          </Pages>
        </>
      )}
    </Awaited>
  );
}
