import type { Sample } from '../../state/responses.ts';
import { countText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { answerName, SHARED } from '../../words/shared.ts';
import { WORDS } from './words.ts';

/** Answers to the players, by code. Many "busy" or "too fast" answers are noticed here first. */
export function Answers({ sample: { answersPerSecond } }: { sample: Sample }) {
  const words = useWords(WORDS);
  const shared = useWords(SHARED);
  const answers = Object.entries(answersPerSecond).filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const most = answers[0]?.[1] ?? 1;
  return (
    <section class="panel answers">
      <h2>{words.answers}</h2>
      {answers.length === 0 ? <p class="hint">{words.none}</p> : (
        <ul>{answers.map(([code, count]) => (
          <li key={code} data-code={code}><span>{answerName(shared, code)}</span><i aria-hidden="true"><i style={{ width: `${(count / most) * 100}%` }} /></i><b>{countText(count)}</b></li>
        ))}</ul>
      )}
    </section>
  );
}
