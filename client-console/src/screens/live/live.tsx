import type { RainDetail, Sample } from '../../state/responses.ts';
import { useRequest } from '../../state/useApi.ts';
import { useLive } from '../../state/live.ts';
import { useBigScreen } from '../../state/bigScreen.ts';
import { Button } from '../../components/button.tsx';
import { Empty, Refused } from '../../components/awaited.tsx';
import { EquationBar } from '../../components/equation-bar.tsx';
import { moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { WORDS as RAIN } from '../rain/words.ts';
import { RainHead } from '../rain/head.tsx';
import { Hero } from './hero.tsx';
import { Answers, Gauges, RatesTile, Ticker } from './tiles.tsx';
import { WORDS } from './words.ts';

const REFRESH_MS = 5_000;

/** A running rain, updated every second. In full screen it can be shown to the audience. */
export function LiveScreen({ rainId }: { rainId: string }) {
  const { words, shared } = useWords(WORDS);
  const missing = useWords(RAIN).words.noRain;
  const path = `rains/${encodeURIComponent(rainId)}`;
  const request = useRequest<RainDetail>(path, REFRESH_MS);
  const { samples, link } = useLive<Sample>(path);
  const { stage, big, toggle } = useBigScreen();
  if (request.refusal?.status === 404) return <Empty title={missing} calm whole />;
  const rain = request.value;
  if (!rain)
    return (
      <>
        <Refused refusal={request.refusal} again={request.again} />
        <p class="awaited">{shared.loading}</p>
      </>
    );
  const sample = (link !== 'behind' && samples.at(-1)) || sampleOf(rain);
  return (
    <>
      <RainHead rain={{ ...rain, state: sample.state }} tab="live">
        <Button variant="main" onClick={toggle} testId="big">
          {words.big}
        </Button>
      </RainHead>
      <div class="stage" ref={stage} data-state={sample.state} data-big={big} data-testid="live">
        <header>
          <h2>
            {rain.title}
            {rain.terms.rehearsal && <small> · {shared.rehearsal}</small>}
          </h2>
          {/* On the page it stands above the screen. */}
          <p class="link" data-link={link} role="status">
            {link === 'lost' ? big && words.lost : link !== 'up' && words[link]}
          </p>
          {big && (
            <Button variant="quiet" onClick={toggle}>
              {words.small}
            </Button>
          )}
        </header>
        <Hero sample={sample} words={words} />
        <Gauges sample={sample} />
        <RatesTile samples={samples} />
        <Ticker
          rainId={rainId}
          over={sample.state === 'closed' || sample.state === 'settled'}
          budget={moneyText(rain.budget)}
        />
        <section class="panel money">
          {sample.equation ? <EquationBar equation={sample.equation} /> : <p class="hint">{words.auditPending}</p>}
        </section>
        <Answers sample={sample} />
      </div>
    </>
  );
}

/** A sample from the rain's own figures, shown while the stream sends none. */
function sampleOf(rain: RainDetail): Sample {
  const { state, opensAt, closesAt, packets, left, claims, credited } = rain;
  return {
    at: new Date().toISOString(),
    state,
    opensAt,
    closesAt,
    packets,
    left,
    wins: claims,
    credited,
    creditLagMs: null,
    sockets: 0,
    gateways: 0,
    grabsPerSecond: 0,
    winsPerSecond: 0,
    answersPerSecond: {},
    equation: null,
  };
}
