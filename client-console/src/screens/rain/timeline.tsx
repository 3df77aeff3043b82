import type { Action, RainDetail } from '../../state/responses.ts';
import { useApp } from '../../state/useApi.ts';
import { momentText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { ACTION_WORDS } from '../action-words.ts';
import { WORDS } from './words.ts';

/** The operators' actions and the opening and closing of a rain, latest first. */
export function Timeline({ rain, actions }: { rain: RainDetail; actions: readonly Action[] }) {
  const { words, language } = useWords(WORDS);
  const { words: verbs } = useWords(ACTION_WORDS);
  const now = useApp().api.now();
  const ended = rain.state === 'closed' || rain.state === 'settled';
  const moment = (at: string, coming: string, past: string) => ({ key: coming, at, what: Date.parse(at) > now ? coming : past, who: '', ahead: Date.parse(at) > now });
  const steps = [
    // A rain that was ended early never reached these times.
    ...(ended && Date.parse(rain.opensAt) > now ? [] : [moment(rain.opensAt, words.opens, words.opened)]), ...(ended && Date.parse(rain.closesAt) > now ? [] : [moment(rain.closesAt, words.closes, words.closed)]),
    ...actions.map(({ id, at, verb, actor }) => ({ key: String(id), at, what: verbs[verb] ?? verb, who: actor, ahead: false })),
  ].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return (
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">{words.timeline}</h2>
      <ol class="timeline">
        {steps.map(({ key, at, what, who, ahead }) => (
          <li key={key} class={ahead ? 'ahead' : ''}><b>{what}</b> {who && <span>{who}</span>}<time dateTime={at}>{momentText(at, language)}</time></li>
        ))}
      </ol>
    </section>
  );
}
