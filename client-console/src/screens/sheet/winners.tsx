import type { RainDetail, Winner } from '../../state/responses.ts';
import { useRequest } from '../../state/useApi.ts';
import { Awaited } from '../../components/awaited.tsx';
import { counted, momentText, moneyText } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';
import { StateChip } from '../rains.tsx';
import { sheetRows } from './rows.ts';
import { Sheet, SignedRow } from './sheet.tsx';
import { useAll } from './useAll.ts';

const REFRESH_MS = 5_000;

const WORDS = bilingual(
  {
    back: 'Winners',
    amount: 'Amount',
    at: 'Won at',
    none: 'Nobody has won yet.',
    total: (winners: number, amount: string) => `${counted(winners, 'winner')}, ${amount} in all`,
  },
  {
    back: '中奖名单',
    amount: '金额',
    at: '时间',
    none: '还没有人中奖。',
    total: (winners, amount) => `共 ${winners} 人中奖，合计 ${amount}`,
  },
);

/** The winners of a rain, to sign for their money. */
export function WinnersSheet({ rainId }: { rainId: string }) {
  const { words, language, shared } = useWords(WORDS);
  const path = `rains/${encodeURIComponent(rainId)}`;
  const request = useRequest<RainDetail>(path, REFRESH_MS);
  const { list, again } = useAll<Winner>({
    path: `${path}/winners`,
    field: 'winners',
    idOf: ({ redPacketId }) => redPacketId,
    state: request.value?.state,
  });
  const { rows, due } = sheetRows(list && 'all' in list ? list.all : []);
  return (
    <Awaited request={request}>
      {(rain) => (
        <Sheet
          of={rain}
          chips={<StateChip state={rain.state} rehearsal={rain.terms.rehearsal} />}
          back={{ route: { screen: 'winners', rainId }, text: words.back }}
          list={list}
          again={again}
          rows={rows}
          total={words.total(rows.length, moneyText(due))}
          none={words.none}
          heads={
            <>
              <th class="number">{words.amount}</th>
              <th>{words.at}</th>
            </>
          }
        >
          {(winner, number) => (
            <SignedRow key={winner.redPacketId} number={number} who={winner}>
              <td class="number">
                {moneyText(winner.amount)}
                {winner.status !== 'credited' && <small>{shared.statuses[winner.status]}</small>}
              </td>
              <td class="moment">{momentText(winner.at, language)}</td>
            </SignedRow>
          )}
        </Sheet>
      )}
    </Awaited>
  );
}
