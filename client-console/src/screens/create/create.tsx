import { useEffect, useRef, useState } from 'preact/hooks';
import type { CampaignDetail, FieldRefusal, RainDetail, Template } from '../../state/responses.ts';
import { useApp, useRequest, useVerb } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Awaited, Empty, Refused } from '../../components/awaited.tsx';
import { useWords } from '../../words/language.ts';
import { GreetingPart } from '../greeting/part.tsx';
import { NO_GREETING } from '../greeting/typed.ts';
import { SaveTemplate } from '../templates/dialogs.tsx';
import { StartFrom, type Chosen } from '../templates/start-from.tsx';
import { draftFrom, templateOf, titleOf } from '../templates/template-draft.ts';
import { WORDS as TEMPLATE_WORDS } from '../templates/words.ts';
import { draftLike } from './duplicate.ts';
import { isPlanTyped, newDraft, placedAt, planOf, PRESETS, requestsOf, timeRefusals, type Draft } from './draft.ts';
import { MoneyPart } from './money.tsx';
import { unplaced } from './placed.ts';
import { PreviewPane, usePreview } from './preview.tsx';
import { Review } from './review.tsx';
import { WhenPart } from './when.tsx';
import { WORDS } from './words.ts';

/** A form that is validated while it is typed, and a review of the money that it moves. */
export function Create({
  campaignId,
  likeId,
  rehearsal = false,
}: {
  campaignId?: string | undefined;
  likeId?: string | undefined;
  rehearsal?: boolean;
}) {
  const ofCampaign = useRequest<CampaignDetail>(
    campaignId === undefined ? undefined : `campaigns/${encodeURIComponent(campaignId)}`,
  );
  const like = useRequest<RainDetail>(likeId === undefined ? undefined : `rains/${encodeURIComponent(likeId)}`);
  if (campaignId !== undefined)
    return <Awaited request={ofCampaign}>{(campaign) => <Form campaign={campaign} />}</Awaited>;
  if (likeId !== undefined) return <Awaited request={like}>{(rain) => <Form like={rain} />}</Awaited>;
  return <Form rehearsal={rehearsal} />;
}

/**
 * @param like an earlier rain that the form is filled in from
 * @param rehearsal the form is filled in with a small rain of test money
 */
function Form({
  campaign,
  like,
  rehearsal = false,
}: {
  campaign?: CampaignDetail;
  like?: RainDetail;
  rehearsal?: boolean;
}) {
  const { words, shared } = useWords(WORDS);
  const { words: templateWords } = useWords(TEMPLATE_WORDS);
  const { api, mayAct } = useApp();
  const [draft, setDraft] = useState<Draft>(() =>
    like
      ? draftLike(like, api.now())
      : {
          ...newDraft(api.now(), campaign && { id: campaign.campaignId, first: campaign.nextRound }),
          ...(rehearsal && { ...PRESETS.flash, title: shared.rehearsal, terms: { rehearsal } }),
        },
  );
  const [serverRefusals, setServerRefusals] = useState<readonly FieldRefusal[]>([]);
  const [reviewing, setReviewing] = useState(false);
  const [saving, setSaving] = useState(false);
  const [chosen, setChosen] = useState<Chosen>();
  const givenTitle = useRef('');
  const templates = useRequest<{ templates: Template[] }>('templates');
  const verb = useVerb();
  const form = useRef<HTMLFormElement>(null);
  const toFirstRefused = () => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  useEffect(() => {
    if (serverRefusals.length > 0) toFirstRefused();
  }, [serverRefusals]);
  const dryRun = usePreview(isPlanTyped(draft) ? planOf(draft) : undefined);
  const { preview } = dryRun;
  const change = (changed: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...changed }));
    setServerRefusals([]);
    verb.forget();
  };
  // A rehearsal stays one, whatever is chosen.
  const money = rehearsal ? { rehearsal } : {};
  // A title that was typed stays; one that came with a choice goes with it.
  const choose = (choice: Chosen, said: Partial<Draft>, title: string) => {
    change({ ...said, title: draft.title.trim() === '' || draft.title === givenTitle.current ? title : draft.title });
    givenTitle.current = title;
    setChosen(choice);
  };
  const chosenTemplate = templates.value?.templates.find(
    ({ id }) => chosen && 'templateId' in chosen && chosen.templateId === id,
  );
  if (!mayAct) return <Empty title={shared.forbidden} calm whole />;

  const wrongTimes = timeRefusals(draft);
  // A dry run before the review, so that the review is not refused.
  const review = async () => {
    if (wrongTimes.length > 0) return toFirstRefused();
    const found: FieldRefusal[] = [];
    const checked = await verb.run(async () => {
      for (const [i, rain] of requestsOf(draft, api.now()).entries()) {
        const answer = await api.post('rains', { ...rain, dryRun: true });
        if (!answer.ok && answer.refusal.refusals.length === 0) return answer;
        if (!answer.ok) found.push(...placedAt(draft, i, answer.refusal.refusals));
      }
      return { ok: true as const, value: undefined };
    });
    if (!checked) return;
    setServerRefusals(found);
    setReviewing(found.length === 0);
  };
  const typed = [...(preview && !preview.ok ? preview.refusals : []), ...wrongTimes];
  const refusals = [
    ...typed,
    ...serverRefusals.filter(
      ({ field, reason }) => !typed.some((known) => known.field === field && known.reason === reason),
    ),
  ];

  return (
    <>
      <header class="head">
        <h1>{campaign ? words.ofCampaign(campaign.title) : words.title}</h1>
      </header>
      <StartFrom
        templates={templates}
        chosen={chosen}
        onPreset={(preset) =>
          choose(
            { preset },
            {
              ...(chosen && 'templateId' in chosen && { terms: money, greeting: NO_GREETING }),
              kept: undefined,
              ...PRESETS[preset],
              ...(campaign && { when: draft.when }),
            },
            words.presetTitle[preset],
          )
        }
        onTemplate={(template) => {
          const said = draftFrom(template);
          choose({ templateId: template.id }, { ...said, terms: { ...said.terms, ...money } }, titleOf(template.rain));
        }}
      />
      <div class="create">
        <form
          ref={form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void review();
          }}
        >
          <MoneyPart draft={draft} refusals={refusals} change={change} />
          <WhenPart draft={draft} refusals={refusals} change={change} />
          <GreetingPart draft={draft} refusals={refusals} change={change} />
          <Refused refusal={verb.refusal ?? unplaced(serverRefusals)} />
          <div class="acts">
            <Button type="submit" variant="main" pending={verb.pending} testId="review">
              {words.review}
            </Button>
            <Button onClick={() => (typed.length > 0 ? toFirstRefused() : setSaving(true))} testId="save-template">
              {templateWords.saveAs} …
            </Button>
          </div>
        </form>
        <PreviewPane {...dryRun} />
      </div>
      {saving && (
        <SaveTemplate
          title={chosenTemplate?.title ?? draft.title}
          said={{ rain: templateOf(draft) }}
          onClose={() => setSaving(false)}
          onSaved={({ id }) => {
            setChosen({ templateId: id });
            templates.again();
          }}
        />
      )}
      {reviewing && <Review draft={draft} onClose={() => setReviewing(false)} />}
    </>
  );
}
