import type { Sample } from '../../state/responses.ts';
import { useNow } from '../../state/useApi.ts';
import { countdownText, countText } from '../../words/figures.ts';
import { useLanguage } from '../../words/language.ts';
import type { WORDS } from './words.ts';

/** Four updates a second, so that the countdown on the big screen never skips a second. */
const TICK_MS = 250;

interface HeroProps {
  sample: Pick<Sample, 'state' | 'opensAt' | 'closesAt' | 'packets' | 'left' | 'wins'>;
  words: Pick<
    typeof WORDS.en,
    'gone' | 'draft' | 'startsIn' | 'endsIn' | 'paused' | 'over' | 'wins' | 'ends' | 'left' | 'of'
  >;
}

/** The headline of the live screen: the time until the start or the end, and the packets or units left. */
export function Hero({ sample, words }: HeroProps) {
  const { shared } = useLanguage();
  const now = useNow(TICK_MS);
  const { state, left, packets } = sample;
  const until = state === 'loaded' || state === 'draft' ? sample.opensAt : sample.closesAt;
  const running = state === 'draft' || state === 'loaded' || state === 'open' || state === 'paused';
  const gone = state === 'open' && left === 0;
  const countdown = countdownText(new Date(until).getTime() - now);
  const headline = gone
    ? words.gone
    : {
        draft: words.draft,
        loaded: words.startsIn,
        open: words.endsIn,
        paused: words.paused,
        closed: words.over,
        settled: words.over,
        lost: shared.states.lost,
      }[state];
  return (
    <section class="panel hero">
      <p class="headline">{headline}</p>
      <p class="big" role="timer">
        {running && !gone ? countdown : countText(sample.wins)}
      </p>
      {(!running || gone) && (
        <p class="headline">
          {words.wins}
          {gone && ` · ${words.ends(countdown)}`}
        </p>
      )}
      <div class="drain">
        <span>{words.left}</span>
        <b data-testid="live-left">{words.of(countText(left), countText(packets))}</b>
        <span
          class="drain-bar"
          role="progressbar"
          aria-label={words.left}
          aria-valuemin={0}
          aria-valuemax={packets}
          aria-valuenow={left}
        >
          <span style={{ transform: `scaleX(${packets > 0 ? left / packets : 0})` }} />
        </span>
      </div>
    </section>
  );
}
