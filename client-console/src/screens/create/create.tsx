import { useState } from 'preact/hooks';
import type { CampaignDetail, FieldRefusal, RainDetail } from '../../state/responses.ts';
import { useApp, useRequest, useVerb } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Awaited, Empty, Refused } from '../../components/awaited.tsx';
import { useWords } from '../../words/language.ts';
import { draftLike } from './duplicate.ts';
import { newDraft, planOf, PRESETS, requestsOf, timeRefusals, type Draft, type PresetName } from './draft.ts';
import { MoneyPart } from './money.tsx';
import { PreviewPane, usePreview } from './preview.tsx';
import { Review } from './review.tsx';
import { WhenPart } from './when.tsx';
import { WORDS } from './words.ts';

/** A form that is validated while it is typed, and a review of the money that it moves. */
export function Create({ campaignId, likeId }: { campaignId?: string | undefined; likeId?: string | undefined }) {
  const ofCampaign = useRequest<CampaignDetail>(campaignId === undefined ? undefined : `campaigns/${encodeURIComponent(campaignId)}`);
  const like = useRequest<RainDetail>(likeId === undefined ? undefined : `rains/${encodeURIComponent(likeId)}`);
  if (campaignId !== undefined) return <Awaited request={ofCampaign}>{(campaign) => <Form campaign={campaign} />}</Awaited>;
  if (likeId !== undefined) return <Awaited request={like}>{(rain) => <Form like={rain} />}</Awaited>;
  return <Form />;
}

/** @param like an earlier rain that the form is filled in from */
function Form({ campaign, like }: { campaign?: CampaignDetail; like?: RainDetail }) {
  const { words, shared } = useWords(WORDS);
  const { api, mayAct } = useApp();
  const [draft, setDraft] = useState<Draft>(() => (like ? draftLike(like, api.now()) : newDraft(api.now(), campaign && {
    id: campaign.campaignId, first: campaign.nextRound,
  })));
  const [serverRefusals, setServerRefusals] = useState<readonly FieldRefusal[]>([]);
  const [reviewing, setReviewing] = useState(false);
  const verb = useVerb();
  const dryRun = usePreview(draft.budget.trim() === '' || draft.packets.trim() === '' ? undefined : planOf(draft));
  const { preview } = dryRun;
  const change = (changed: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...changed }));
    setServerRefusals([]);
    verb.forget();
  };
  if (!mayAct) return <Empty title={shared.forbidden} calm whole />;

  const wrongTimes = timeRefusals(draft);
  // A dry run before the review, so that the review is not refused.
  const review = async () => {
    if (wrongTimes.length > 0) return;
    const found: FieldRefusal[] = [];
    const checked = await verb.run(async () => {
      for (const rain of requestsOf(draft, api.now())) {
        const answer = await api.post('rains', { ...rain, dryRun: true });
        if (!answer.ok && answer.refusal.refusals.length === 0) return answer;
        if (!answer.ok) found.push(...answer.refusal.refusals);
      }
      return { ok: true as const, value: undefined };
    });
    if (!checked) return;
    setServerRefusals(found);
    setReviewing(found.length === 0);
  };
  const typed = [...(preview && !preview.ok ? preview.refusals : []), ...wrongTimes];
  const refusals = [...typed, ...serverRefusals.filter(({ field, reason }) => !typed.some((known) => known.field === field && known.reason === reason))];

  return (
    <>
      <header class="head"><h1>{campaign ? words.ofCampaign(campaign.title) : words.title}</h1></header>
      <div class="presets" role="group" aria-label={words.presets}>
        {(Object.keys(PRESETS) as PresetName[]).map((name) => (
          <button key={name} type="button" class="preset" data-testid={`preset-${name}`} onClick={() => change({ ...PRESETS[name], title: draft.title || words.preset[name], ...(campaign && { when: draft.when }) })}>
            <b>{words.preset[name]}</b><small>{words.presetTold[name]}</small>
          </button>
        ))}
      </div>
      <div class="create">
        <form noValidate onSubmit={(event) => { event.preventDefault(); void review(); }}>
          <MoneyPart draft={draft} refusals={refusals} change={change} />
          <WhenPart draft={draft} refusals={refusals} change={change} />
          <Refused refusal={verb.refusal ?? unplaced(serverRefusals)} />
          <div class="acts"><Button type="submit" variant="main" pending={verb.pending} testId="review">{words.review}</Button></div>
        </form>
        <PreviewPane {...dryRun} />
      </div>
      {reviewing && <Review draft={draft} onClose={() => setReviewing(false)} />}
    </>
  );
}

const PLACED = /^(plan\.)?(title|budget|packets|min|max|opensAt|closesAt|split(\..*)?|terms\..*)$/;

/** Refusals of fields that are not in the form. */
function unplaced(refusals: readonly FieldRefusal[]) {
  const rest = refusals.filter(({ field }) => !PLACED.test(field));
  return rest.length === 0 ? undefined : { status: 400, code: 'refused', reason: '', refusals: rest };
}
