import { useEffect, useState } from 'preact/hooks';
import { ownName } from '../../../src/rain/names.ts';
import type { RainDetail, Winner } from '../state/responses.ts';
import type { Refusal } from '../state/request.ts';
import { hashOf } from '../state/route.ts';
import { useApp, useRequest } from '../state/useApi.ts';
import { Awaited, Refused } from '../components/awaited.tsx';
import { Button } from '../components/button.tsx';
import { counted, countText, momentText, moneyText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { StateChip } from './rains.tsx';
import { sheetRows, type SheetRows } from './sheet-rows.ts';

/** More than anybody signs. */
const ROWS_MAX = 2_000;
const PAGE = 500;
const REFRESH_MS = 5_000;

const WORDS = bilingual({
  back: 'Winners', print: 'Print', name: 'Name', amount: 'Amount', at: 'Won at', signature: 'Signature', none: 'Nobody has won yet.',
  total: (winners: number, amount: string) => `${counted(winners, 'winner')}, ${amount} in all`, asOf: (moment: string) => `As of ${moment}`,
  notOver: 'This rain is not over: the list is not complete.', tooMany: (rows: string) => `More than ${rows} winners: too many to print here. Download the CSV instead.`,
}, {
  back: '中奖名单', print: '打印', name: '姓名', amount: '金额', at: '时间', signature: '签收', none: '还没有人中奖。',
  total: (winners, amount) => `共 ${winners} 人中奖，合计 ${amount}`, asOf: (moment) => `截至 ${moment}`,
  notOver: '本场尚未结束，名单并不完整。', tooMany: (rows) => `中奖者超过 ${rows} 人，无法在此打印，请下载 CSV。`,
});

type Sheet = SheetRows & { readAt: number } | { refusal: Refusal } | { tooMany: true };

/** All winners on paper, each with a line for the signature. */
export function WinnersSheet({ rainId }: { rainId: string }) {
  const { words, language, shared } = useWords(WORDS);
  const path = `rains/${encodeURIComponent(rainId)}`;
  const request = useRequest<RainDetail>(path, REFRESH_MS);
  const { sheet, again } = useSheet(`${path}/winners`, request.value?.state);
  const read = sheet && 'rows' in sheet ? sheet : undefined;
  return (
    <Awaited request={request}>{({ title, opensAt, state, terms }) => (
      <article class="sheet" data-testid="sheet">
        <header class="head">
          <div>
            <a class="back" href={hashOf({ screen: 'winners', rainId })}>← {words.back}</a>
            <h1>{title}</h1>
            <p class="chips"><StateChip state={state} rehearsal={terms.rehearsal} /></p>
            <p class="sub">{momentText(opensAt, language)}{read && ` · ${words.total(read.rows.length, moneyText(read.due))}`}</p>
          </div>
          <div class="acts"><Button onClick={() => print()} disabled={!read?.rows.length} testId="print">{words.print}</Button></div>
        </header>
        {!isOver(state) && <p data-testid="not-over">{words.notOver}</p>}
        {!sheet && <p class="awaited" role="status">{shared.loading}</p>}
        {sheet && 'refusal' in sheet && <Refused refusal={sheet.refusal} again={again} />}
        {sheet && 'tooMany' in sheet && <p>{words.tooMany(countText(ROWS_MAX))}</p>}
        {read?.rows.length === 0 && <p>{words.none}</p>}
        {read && read.rows.length > 0 && (
          <>
            <table>
              <thead><tr><th class="number">#</th><th>{words.name}</th><th class="number">{words.amount}</th><th>{words.at}</th><th class="signature">{words.signature}</th></tr></thead>
              <tbody>{read.rows.map((winner, i) => <Row key={winner.redPacketId} number={i + 1} winner={winner} />)}</tbody>
            </table>
            <p class="hint">{words.asOf(momentText(read.readAt, language))}</p>
          </>
        )}
      </article>
    )}</Awaited>
  );
}

function Row({ number, winner: { userId, amount, at, status, participant } }: { number: number; winner: Winner }) {
  const { language, shared } = useWords(WORDS);
  const name = participant?.name ?? ownName(userId);
  const details = participant ? [participant.department, participant.number].filter((one) => one !== undefined).join(' · ') : userId;
  return (
    <tr data-testid="sheet-row">
      <td class="number">{number}</td><th scope="row">{name}{name !== userId && <small>{details}</small>}</th><td class="number">{moneyText(amount)}{status !== 'credited' && <small>{shared.statuses[status]}</small>}</td><td class="moment">{momentText(at, language)}</td><td class="signature" />
    </tr>
  );
}

const isOver = (state: RainDetail['state']): boolean => state === 'closed' || state === 'settled';

/** Reads all winners when the screen opens, when the rain's state changes, and after a login; undefined while they are read. */
function useSheet(path: string, state: RainDetail['state'] | undefined): { sheet: Sheet | undefined; again: () => void } {
  const { api, awake } = useApp();
  const [sheet, setSheet] = useState<Sheet>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!awake || state === undefined) return undefined;
    const gone = new AbortController();
    const read = async (): Promise<Sheet | undefined> => {
      const all = new Map<string, Winner>();
      for (let cursor: string | undefined, isLast = false; !isLast;) {
        const page = await api.get<{ winners: Winner[]; next?: string }>(`${path}?${new URLSearchParams({ limit: String(PAGE), ...(cursor !== undefined && { cursor }) }).toString()}`, gone.signal);
        if (gone.signal.aborted) return undefined;
        if (!page.ok) return { refusal: page.refusal };
        for (const winner of page.value.winners) all.set(winner.redPacketId, winner);
        if (all.size > ROWS_MAX) return { tooMany: true };
        cursor = page.value.next;
        isLast = cursor === undefined;
      }
      return { ...sheetRows([...all.values()]), readAt: api.now() };
    };
    setSheet(undefined);
    void read().then((found) => { if (found && !gone.signal.aborted) setSheet(found); });
    return () => gone.abort();
  }, [api, path, awake, state, tries]);
  return { sheet, again: () => setTries((before) => before + 1) };
}
