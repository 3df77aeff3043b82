import { mask } from '../../../../src/rain/mask.ts';
import type { Winner } from '../../state/responses.ts';
import { useRequest } from '../../state/useRequest.ts';
import { centsOf, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

const REFRESH_MS = 2_000;
const SHOWN = 12;

/** The latest winners. Names are masked, because the screen may be public. */
export function Ticker({ rainId, over, budget }: { rainId: string; over: boolean; budget: string }) {
  const words = useWords(WORDS);
  const winners = useRequest<{ winners: Winner[] }>(`rains/${encodeURIComponent(rainId)}/winners?limit=200`, REFRESH_MS).value?.winners ?? [];
  const luckiest = winners.reduce<Winner | undefined>((best, winner) => (best && centsOf(best.amount) >= centsOf(winner.amount) ? best : winner), undefined);
  const latest = [...winners].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, SHOWN);
  return (
    <section class="panel ticker">
      <div class="crown">
        {luckiest && <p><span>{over ? words.luckyOver : words.lucky}</span><b>{mask(luckiest.userId)}</b><strong>¥{moneyText(luckiest.amount)}</strong></p>}
        {!luckiest && <p><span>{words.budget}</span><strong>¥{budget}</strong></p>}
      </div>
      <h2>{words.ticker}</h2>
      {latest.length === 0 ? <p class="hint">{words.noWinners}</p> : (
        <ol>{latest.map(({ redPacketId, userId, amount, status }) => <li key={redPacketId} data-status={status}><span>{mask(userId)}</span><b>¥{moneyText(amount)}</b></li>)}</ol>
      )}
    </section>
  );
}
