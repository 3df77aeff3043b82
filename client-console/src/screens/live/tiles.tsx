import { useMemo } from 'preact/hooks';
import { shownName } from '../../../../src/rain/names.ts';
import type { Sample, Winner } from '../../state/responses.ts';
import { useRequest } from '../../state/useApi.ts';
import { Chart, type Line } from '../../components/chart.tsx';
import { centsOf, countText, durationText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { answerName } from '../../words/shared.ts';
import { WORDS } from './words.ts';

const TICKER_REFRESH_MS = 2_000;
const WINNERS_SHOWN = 12;

export function Gauges({ sample }: { sample: Sample }) {
  const { words, language } = useWords(WORDS);
  const { sockets, gateways, grabsPerSecond, wins, winsPerSecond, credited, creditLagMs } = sample;
  const gauges: [string, string, string, string][] = [
    ['sockets', countText(sockets), words.watching, words.gateways(gateways)],
    ['grabs', countText(grabsPerSecond), words.grabs, words.perSecond(`+${countText(winsPerSecond)}`)],
    ['wins', countText(wins), words.wins, words.credited(countText(credited))],
    ['lag', creditLagMs === null ? words.none : durationText(creditLagMs, language), words.lag, words.lagTold],
  ];
  return (
    <dl class="gauges">
      {gauges.map(([id, value, name, beside]) => (
        <div key={id} class="panel">
          <dt>{name}</dt>
          <dd>
            <b data-testid={`live-${id}`}>{value}</b>
            <small>{beside}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function RatesTile({ samples }: { samples: readonly Sample[] }) {
  const { words } = useWords(WORDS);
  const rows = useMemo(
    () => [
      samples.map(({ at }) => new Date(at).getTime() / 1_000),
      samples.map(({ grabsPerSecond }) => grabsPerSecond),
      samples.map(({ winsPerSecond }) => winsPerSecond),
    ],
    [samples],
  );
  const lines: readonly Line[] = [
    { name: words.grabsLine, colour: '--chart-grabs', filled: true },
    { name: words.winsLine, colour: '--chart-wins', filled: true },
  ];
  return (
    <section class="panel pulse">
      <h2>
        {words.pulse}{' '}
        <span class="legend" aria-hidden="true">
          <i class="grabs" />
          {words.grabsLine} <i class="wins" />
          {words.winsLine}
        </span>
      </h2>
      <Chart rows={rows} lines={lines} />
    </section>
  );
}

/** The latest winners. Names are masked, because the screen may be public. */
export function Ticker({ rainId, over, budget }: { rainId: string; over: boolean; budget: string }) {
  const { words } = useWords(WORDS);
  const winners =
    useRequest<{ winners: Winner[] }>(`rains/${encodeURIComponent(rainId)}/winners?limit=200`, TICKER_REFRESH_MS).value
      ?.winners ?? [];
  const luckiest = winners.reduce<Winner | undefined>(
    (best, winner) => (best && centsOf(best.amount) >= centsOf(winner.amount) ? best : winner),
    undefined,
  );
  const latest = [...winners].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, WINNERS_SHOWN);
  return (
    <section class="panel ticker">
      <div class="crown">
        {luckiest && (
          <p>
            <span>{over ? words.luckyOver : words.lucky}</span>
            <b>{shownName(luckiest.userId)}</b>
            <strong>{moneyText(luckiest.amount)}</strong>
          </p>
        )}
        {!luckiest && (
          <p>
            <span>{words.budget}</span>
            <strong>{budget}</strong>
          </p>
        )}
      </div>
      <h2>{words.ticker}</h2>
      {latest.length === 0 ? (
        <p class="hint">{words.noWinners}</p>
      ) : (
        <ol>
          {latest.map(({ redPacketId, userId, amount, status }) => (
            <li key={redPacketId} data-status={status}>
              <span>{shownName(userId)}</span>
              <b>{moneyText(amount)}</b>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Answers to the players, by code. Many "busy" or "too fast" answers are noticed here first. */
export function Answers({ sample: { answersPerSecond } }: { sample: Sample }) {
  const { words, shared } = useWords(WORDS);
  const answers = Object.entries(answersPerSecond)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  const most = answers[0]?.[1] ?? 1;
  return (
    <section class="panel answers">
      <h2>{words.answers}</h2>
      {answers.length === 0 ? (
        <p class="hint">{words.none}</p>
      ) : (
        <ul>
          {answers.map(([code, count]) => (
            <li key={code} data-code={code}>
              <span>{answerName(shared, code)}</span>
              <i aria-hidden="true">
                <i style={{ width: `${(count / most) * 100}%` }} />
              </i>
              <b>{countText(count)}</b>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
