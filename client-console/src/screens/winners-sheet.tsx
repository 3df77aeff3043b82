import { useEffect, useState } from 'preact/hooks';
import { formatMoney, parseMoney } from '../../../src/rain/money.ts';
import { ownName } from '../../../src/rain/names.ts';
import type { RainDetail, Winner } from '../state/responses.ts';
import type { Refusal } from '../state/request.ts';
import { hashOf } from '../state/route.ts';
import { useApp, useRequest } from '../state/useApi.ts';
import { Awaited, Refused } from '../components/awaited.tsx';
import { Button } from '../components/button.tsx';
import { countText, momentText, moneyText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';

/** More than anybody signs. */
const ROWS_MAX = 2_000;
const PAGE = 500;

const WORDS = bilingual({
  back: 'Winners', print: 'Print', name: 'Name', amount: 'Amount', at: 'Won at', signature: 'Signature', none: 'Nobody has won yet.',
  total: (winners: string, amount: string) => `${winners} winners, ${amount} in all`, printed: (moment: string) => `Printed ${moment}`,
  tooMany: (rows: string) => `More than ${rows} winners: too many to print here. Download the CSV instead.`,
}, {
  back: '中奖名单', print: '打印', name: '姓名', amount: '金额', at: '时间', signature: '签收', none: '还没有人中奖。',
  total: (winners, amount) => `共 ${winners} 人中奖，合计 ${amount}`, printed: (moment) => `打印于 ${moment}`,
  tooMany: (rows) => `中奖者超过 ${rows} 人，无法在此打印，请下载 CSV。`,
});

type Sheet = { rows: readonly Winner[] } | { refusal: Refusal } | { tooMany: true };

/** All winners on paper, in the order in which they won, each with a line for the signature. */
export function WinnersSheet({ rainId }: { rainId: string }) {
  const { words, language, shared } = useWords(WORDS);
  const path = `rains/${encodeURIComponent(rainId)}`;
  const request = useRequest<RainDetail>(path);
  const sheet = useSheet(`${path}/winners`);
  const rows = sheet && 'rows' in sheet ? sheet.rows : undefined;
  return (
    <Awaited request={request}>{({ title, opensAt }) => (
      <article class="sheet" data-testid="sheet">
        <header class="head">
          <div>
            <a class="back" href={hashOf({ screen: 'winners', rainId })}>← {words.back}</a>
            <h1>{title}</h1>
            <p class="sub">{momentText(opensAt, language)}{rows && ` · ${words.total(countText(rows.length), totalOf(rows))}`}</p>
          </div>
          <div class="acts"><Button onClick={() => print()} disabled={!rows?.length} testId="print">{words.print}</Button></div>
        </header>
        {!sheet && <p class="awaited" role="status">{shared.loading}</p>}
        {sheet && 'refusal' in sheet && <Refused refusal={sheet.refusal} />}
        {sheet && 'tooMany' in sheet && <p>{words.tooMany(countText(ROWS_MAX))}</p>}
        {rows?.length === 0 && <p>{words.none}</p>}
        {rows && rows.length > 0 && (
          <>
            <table>
              <thead><tr><th class="number">#</th><th>{words.name}</th><th class="number">{words.amount}</th><th>{words.at}</th><th class="signature">{words.signature}</th></tr></thead>
              <tbody>{rows.map((winner, i) => <Row key={winner.redPacketId} number={i + 1} winner={winner} />)}</tbody>
            </table>
            <p class="hint">{words.printed(momentText(Date.now(), language))}</p>
          </>
        )}
      </article>
    )}</Awaited>
  );
}

function Row({ number, winner: { userId, amount, at } }: { number: number; winner: Winner }) {
  const { language } = useWords(WORDS);
  const name = ownName(userId);
  return (
    <tr data-testid="sheet-row">
      <td class="number">{number}</td><th scope="row">{name}{name !== userId && <small>{userId}</small>}</th><td class="number">{moneyText(amount)}</td><td class="moment">{momentText(at, language)}</td><td class="signature" />
    </tr>
  );
}

/** The list has the latest winner first and may grow while it is read; undefined while it is read. */
function useSheet(path: string): Sheet | undefined {
  const { api } = useApp();
  const [sheet, setSheet] = useState<Sheet>();
  useEffect(() => {
    const gone = new AbortController();
    const read = async () => {
      const all = new Map<string, Winner>();
      for (let cursor: string | undefined, isLast = false; !isLast;) {
        const page = await api.get<{ winners: Winner[]; next?: string }>(`${path}?${new URLSearchParams({ limit: String(PAGE), ...(cursor !== undefined && { cursor }) }).toString()}`, gone.signal);
        if (gone.signal.aborted) return;
        if (!page.ok) return setSheet({ refusal: page.refusal });
        for (const winner of page.value.winners) all.set(winner.redPacketId, winner);
        if (all.size > ROWS_MAX) return setSheet({ tooMany: true });
        cursor = page.value.next;
        isLast = cursor === undefined;
      }
      setSheet({ rows: [...all.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)) });
    };
    void read();
    return () => gone.abort();
  }, [api, path]);
  return sheet;
}

const totalOf = (rows: readonly Winner[]): string => moneyText(formatMoney(rows.reduce((sum, { amount }) => sum + (parseMoney(amount) ?? 0n), 0n)));
