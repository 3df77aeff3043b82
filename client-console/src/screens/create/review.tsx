import { useRef, useState } from 'preact/hooks';
import type { Created } from '../../state/responses.ts';
import { useApp } from '../../state/app.ts';
import { go, hashOf } from '../../state/route.ts';
import { useVerb } from '../../state/useVerb.ts';
import { Dialog } from '../../components/dialog.tsx';
import { centsOf, durationText, momentText, moneyText } from '../../words/figures.ts';
import { useLanguage, useWords } from '../../words/language.ts';
import { SHARED } from '../../words/shared.ts';
import { askedTermNames } from '../../../../src/rain/terms.ts';
import { tellTerm, TERM_WORDS } from '../term-words.ts';
import { requestsOf, UNITS_MS, type Draft, type RainRequest } from './draft.ts';
import { WORDS } from './words.ts';

interface ReviewProps {
  draft: Draft;
  onClose: () => void;
}

/** Says in words what money moves, then makes the rains one after the other. Asked again it goes on where it was cut. */
export function Review({ draft, onClose }: ReviewProps) {
  const words = useWords(WORDS);
  const shared = useWords(SHARED);
  const termWords = useWords(TERM_WORDS);
  const language = useLanguage();
  const { ask } = useApp();
  const verb = useVerb();
  const [made, setMade] = useState(0);
  const [shown] = useState(() => requestsOf(draft, ask.now()));
  // The first click says when `in five minutes` is; a second one asks for the same rains.
  const asked = useRef<RainRequest[]>(undefined);
  const count = shown.length;
  const { plan, terms } = shown[0]!;
  const total = moneyText(((centsOf(plan.budget) * count) / 100).toFixed(2));
  const lasts = words.lasts(durationText(Number(draft.duration) * UNITS_MS[draft.durationUnit], language));

  const make = async () => {
    asked.current ??= requestsOf(draft, ask.now());
    for (const [i, request] of asked.current.entries()) {
      if (i < made) continue;
      const created = await verb.run(() => ask.post<Created>('rains', request));
      if (!created) return;
      setMade(i + 1);
    }
    if (draft.campaign) go({ screen: 'campaign', campaignId: draft.campaign.id });
    else go(count === 1 ? { screen: 'rain', rainId: asked.current[0]!.id } : { screen: 'rains' });
  };
  const taken = verb.refusal?.refusals.some(({ field }) => field === 'id');

  return (
    <Dialog title={words.reviewTitle} act={count === 1 ? words.make : words.makeAll(count)} verb={verb} onAct={() => void make()} onClose={onClose}>
      <ul class="deeds" data-testid="deeds">
        <li class={terms.rehearsal ? 'shadow' : 'money'}>
          <b>{terms.rehearsal ? words.shadow(total) : words.leaves(total)}</b> {terms.rehearsal ? words.shadowTold : words.leavesTold(count, moneyText(plan.budget))}
        </li>
        <li><b>{words.holds(shared.packets(plan.packets), moneyText(plan.min ?? '0.01'), plan.max === undefined ? undefined : moneyText(plan.max))}</b> {words.holdsTold}</li>
        {draft.when === 'in' ? <li><b>{words.opensIn(durationText(Number(draft.startIn) * UNITS_MS[draft.startInUnit], language))}</b> {lasts}</li>
          : shown.map(({ id, opensAt }, i) => <li key={id}><b>{words.opens(momentText(opensAt, language))}</b> {lasts} {i < made && `✓ ${words.made}`}</li>)}
        {askedTermNames().filter((name) => name in terms && name !== 'rehearsal').map((name) => <li key={name}><b>{termWords[name].label}</b> {tellTerm(termWords[name], terms[name])}</li>)}
        <li><b>{words.back}</b> {words.backTold}</li>
      </ul>
      {taken && <p><a href={hashOf({ screen: 'rain', rainId: asked.current![made]!.id })}>{words.toRain}</a></p>}
    </Dialog>
  );
}
