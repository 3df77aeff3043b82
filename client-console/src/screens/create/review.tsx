import { useRef, useState } from 'preact/hooks';
import type { Created } from '../../state/responses.ts';
import { useApp } from '../../state/app.ts';
import { go, hashOf } from '../../state/route.ts';
import { useVerb } from '../../state/useVerb.ts';
import { Dialog } from '../../components/dialog.tsx';
import { centsOf, durationText, momentText, moneyText } from '../../words/figures.ts';
import { useLanguage, useWords } from '../../words/language.ts';
import { SHARED } from '../../words/shared.ts';
import { requestedTermNames } from '../../../../src/rain/terms.ts';
import { formatTerm, TERM_WORDS } from '../term-words.ts';
import { requestsOf, UNITS_MS, type Draft, type RainRequest } from './draft.ts';
import { WORDS } from './words.ts';

interface ReviewProps {
  draft: Draft;
  onClose: () => void;
}

/** Describes which money moves, then creates the rains one after the other. A retry continues after the last created rain. */
export function Review({ draft, onClose }: ReviewProps) {
  const words = useWords(WORDS);
  const shared = useWords(SHARED);
  const termWords = useWords(TERM_WORDS);
  const language = useLanguage();
  const { api } = useApp();
  const verb = useVerb();
  const [createdCount, setCreatedCount] = useState(0);
  const [shown] = useState(() => requestsOf(draft, api.now()));
  // The first click fixes the time of "in five minutes". A retry sends the same requests.
  const requests = useRef<RainRequest[]>(undefined);
  const count = shown.length;
  const { plan, terms } = shown[0]!;
  const total = moneyText(((centsOf(plan.budget) * count) / 100).toFixed(2));
  const durationPhrase = words.lasts(durationText(Number(draft.duration) * UNITS_MS[draft.durationUnit], language));

  const create = async () => {
    requests.current ??= requestsOf(draft, api.now());
    for (const [i, request] of requests.current.entries()) {
      if (i < createdCount) continue;
      const created = await verb.run(() => api.post<Created>('rains', request));
      if (!created) return;
      setCreatedCount(i + 1);
    }
    if (draft.campaign) go({ screen: 'campaign', campaignId: draft.campaign.id });
    else go(count === 1 ? { screen: 'rain', rainId: requests.current[0]!.id } : { screen: 'rains' });
  };
  const taken = verb.refusal?.refusals.some(({ field }) => field === 'id');

  return (
    <Dialog title={words.reviewTitle} act={count === 1 ? words.make : words.makeAll(count)} verb={verb} onAct={() => void create()} onClose={onClose}>
      <ul class="deeds" data-testid="deeds">
        <li class={terms.rehearsal ? 'shadow' : 'money'}>
          <b>{terms.rehearsal ? words.testMoney(total) : words.leaves(total)}</b> {terms.rehearsal ? words.testMoneyTold : words.leavesTold(count, moneyText(plan.budget))}
        </li>
        <li><b>{words.holds(shared.packets(plan.packets), moneyText(plan.min ?? '0.01'), plan.max === undefined ? undefined : moneyText(plan.max))}</b> {words.holdsTold}</li>
        {draft.when === 'in' ? <li><b>{words.opensIn(durationText(Number(draft.startIn) * UNITS_MS[draft.startInUnit], language))}</b> {durationPhrase}</li>
          : shown.map(({ id, opensAt }, i) => <li key={id}><b>{words.opens(momentText(opensAt, language))}</b> {durationPhrase} {i < createdCount && `✓ ${words.made}`}</li>)}
        {requestedTermNames().filter((name) => name in terms && name !== 'rehearsal').map((name) => <li key={name}><b>{termWords[name].label}</b> {formatTerm(termWords[name], terms[name])}</li>)}
        <li><b>{words.back}</b> {words.backTold}</li>
      </ul>
      {taken && <p><a href={hashOf({ screen: 'rain', rainId: requests.current![createdCount]!.id })}>{words.toRain}</a></p>}
    </Dialog>
  );
}
