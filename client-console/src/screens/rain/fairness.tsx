import { useState } from 'preact/hooks';
import type { RainDetail, Verdict } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Copyable } from '../../components/copy.tsx';
import { Refused } from '../../components/awaited.tsx';
import { countText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

/** The commitment, the seed, and the verification of a rain. */
export function Fairness({ rain }: { rain: RainDetail }) {
  const { words, shared } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [verdict, setVerdict] = useState<Verdict>();
  const verify = async () => {
    const verified = await verb.run(() => api.get<Verdict>(`rains/${encodeURIComponent(rain.rainId)}/verify`));
    if (verified) setVerdict(verified.done);
  };
    return (
    <section class="card" aria-labelledby="fairness">
      <div class="row"><h2 id="fairness">{words.fairness}</h2>{rain.state === 'settled' && <Button pending={verb.pending} onClick={() => void verify()} testId="verify">{words.verify}</Button>}</div>
      {rain.commitment === undefined ? <p class="hint">{words.noCommitment}</p> : (
        <><h3>{words.commitment}</h3><Copyable text={rain.commitment} testId="commitment" /><p class="hint">{words.commitmentTold}</p></>
      )}
      {rain.topUps.map(({ topUp, budget, packets, commitment }) => (
        <div key={topUp}><h3>{words.topUp(topUp)}: {moneyText(budget)}, {shared.packets(packets)}</h3><Copyable text={commitment} /></div>
      ))}
      {rain.seed !== undefined ? <><h3>{words.seed}</h3><Copyable text={rain.seed} /></> : <p class="hint">{words.verifyLater}</p>}
      <Refused refusal={verb.refusal} />
      {verdict && (
        <div class={verdict.fair ? 'verdict good' : 'verdict bad'} role="status" data-testid="verdict">
          <b>{verdict.fair ? `✓ ${words.fair}` : `✗ ${words.unfair}`}</b>
          <p>{words.checked(countText(verdict.checked.claims), countText(verdict.checked.credits))}</p>
          <ul>{verdict.problems.map((problem) => <li key={problem}>{problem}</li>)}</ul>
        </div>
      )}
    </section>
  );
}
