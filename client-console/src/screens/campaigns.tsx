import { useState } from 'preact/hooks';
import type { CampaignView } from '../state/responses.ts';
import { useRequest } from '../state/useRequest.ts';
import { useApp } from '../state/app.ts';
import { go, hashOf } from '../state/route.ts';
import { useVerb } from '../state/useVerb.ts';
import { Button } from '../components/button.tsx';
import { Awaited, Empty } from '../components/empty.tsx';
import { Field, Toggle } from '../components/field.tsx';
import { Refused } from '../components/refused.tsx';
import { momentText } from '../words/figures.ts';
import { useLanguage, useWords } from '../words/language.ts';
import { WORDS } from './campaign-words.ts';
import { newId, refusalsFor } from './create/draft.ts';

/** All campaigns, and the form for a new one. */
export function Campaigns() {
  const words = useWords(WORDS);
  const language = useLanguage();
  const { mayAct } = useApp();
  const request = useRequest<{ campaigns: CampaignView[] }>('campaigns');
  if (request.refusal?.status === 404) return <Empty title={words.unknown} calm whole><p>{words.unknownTold}</p></Empty>;
  return (
    <>
      <header class="head"><div><h1>{words.title}</h1><p class="sub">{words.told}</p></div></header>
      {mayAct && <NewCampaign />}
      <Awaited request={request}>{({ campaigns }) => (campaigns.length === 0 ? <Empty title={words.none}><p>{words.noneTold}</p></Empty> : (
        <ul class="rains">{campaigns.map(({ campaignId, title, winsPerUserMax, rollOver, rounds, createdAt }) => (
          <li key={campaignId} class="rain-row campaign" data-testid="campaign">
            <a class="stretch" href={hashOf({ screen: 'campaign', campaignId })}><b>{title}</b></a>
            <span class="chips"><span class="chip">{words.rounds(rounds)}</span><span class="chip">{words.cap(winsPerUserMax)}</span>{rollOver && <span class="chip">{words.rolls}</span>}</span>
            <small>{momentText(createdAt, language)}</small>
          </li>
        ))}</ul>
      ))}</Awaited>
    </>
  );
}

function NewCampaign() {
  const words = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [id] = useState(() => `c${newId(api.now())}`);
  const [title, setTitle] = useState('');
  const [wins, setWins] = useState('1');
  const [rollOver, setRollOver] = useState(false);
  const refusals = verb.refusal?.refusals ?? [];
  const make = async () => {
    const named = title.trim();
    const made = await verb.run(() => api.post('campaigns', { id, ...(named !== '' && { title: named }), winsPerUserMax: Number(wins || NaN), rollOver }));
    if (made) go({ screen: 'campaign', campaignId: id });
  };
  return (
    <form class="card inline campaign-form" noValidate aria-label={words.create} onSubmit={(event) => { event.preventDefault(); void make(); }}>
      <Field label={words.name} value={title} onInput={setTitle} refusals={refusalsFor(refusals, 'title')} testId="campaign-title" />
      <Field label={words.wins} value={wins} onInput={setWins} inputMode="numeric" refusals={refusalsFor(refusals, 'winsPerUserMax')} />
      <Toggle label={words.rollOver} hint={words.rollOverHint} checked={rollOver} onChange={setRollOver} />
      <Button type="submit" variant="main" pending={verb.pending} testId="campaign-make">{words.make}</Button>
      {refusals.every(({ field }) => field !== 'title' && field !== 'winsPerUserMax') && <Refused refusal={verb.refusal} />}
    </form>
  );
}
