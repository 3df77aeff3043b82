import { useEffect, useRef, useState } from 'preact/hooks';
import type { CampaignDetail, FieldRefusal } from '../../state/responses.ts';
import { useApp, useRequest, useVerb } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Awaited, Empty, Refused } from '../../components/awaited.tsx';
import { Choice, Field, Toggle } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { refusalsFor, timeRefusals, type Unit } from '../create/draft.ts';
import { TimePart } from '../create/when.tsx';
import { WORDS as TIME_WORDS } from '../create/words.ts';
import {
  checkableRequest,
  holdRefusals,
  newSaleDraft,
  SALE_PRESETS,
  saleRequestOf,
  type SaleDraft,
  type SalePartProps,
  type SalePreset,
} from './draft.ts';
import { ItemsPart } from './items.tsx';
import { SalePreview } from './preview.tsx';
import { Review } from './review.tsx';
import { TERM_WORDS, VISIBILITY } from '../term-words.ts';
import { WORDS } from './words.ts';

/** The form of a sale, with a preview of its items, and a review after a dry run. */
export function CreateSale({ campaignId }: { campaignId?: string | undefined }) {
  const request = useRequest<CampaignDetail>(
    campaignId === undefined ? undefined : `campaigns/${encodeURIComponent(campaignId)}`,
  );
  if (campaignId === undefined) return <Form />;
  return <Awaited request={request}>{(campaign) => <Form campaign={campaign} />}</Awaited>;
}

function Form({ campaign }: { campaign?: CampaignDetail }) {
  const { words, shared } = useWords(WORDS);
  const { api, mayAct } = useApp();
  const [draft, setDraft] = useState<SaleDraft>(() =>
    newSaleDraft(api.now(), campaign && { id: campaign.campaignId, round: campaign.nextRound }),
  );
  const [local, setLocal] = useState<readonly FieldRefusal[]>([]);
  const [stocked, setStocked] = useState<boolean>();
  const givenTitle = useRef('');
  const verb = useVerb();
  const form = useRef<HTMLFormElement>(null);
  // The field may be far above the button.
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [local, verb.refusal]);
  const change = (changed: Partial<SaleDraft>) => {
    setDraft((before) => ({ ...before, ...changed }));
    // Not a new list each time: the effect would take the focus while somebody types.
    setLocal((before) => (before.length === 0 ? before : []));
    verb.forget();
  };
  if (!mayAct) return <Empty title={shared.forbidden} calm whole />;

  // A dry run before the review, so that the review is not refused.
  const review = async () => {
    const wrong = [...timeRefusals(draft), ...holdRefusals(draft)];
    setLocal(wrong);
    const tried = await verb.run(() =>
      api.post<{ stocked?: boolean }>('sales', { ...checkableRequest(draft, api.now()), dryRun: true }),
    );
    if (tried && wrong.length === 0) setStocked(tried.done.stocked ?? false);
  };
  const refusals = [...local, ...verb.refusals];
  const unplaced =
    verb.refusal && (verb.refusals.length === 0 || verb.refusals.some(({ field }) => !PLACED.test(field)))
      ? { ...verb.refusal, refusals: verb.refusals.filter(({ field }) => !PLACED.test(field)) }
      : undefined;

  return (
    <>
      <header class="head">
        <div>
          <h1>{campaign ? words.ofCampaign(campaign.title) : words.title}</h1>
          {campaign && (
            <p class="sub" data-testid="of-campaign">
              {words.household(campaign.nextRound, campaign.winsPerUserMax)}
            </p>
          )}
        </div>
      </header>
      <div class="presets" role="group" aria-label={words.presets}>
        {(Object.keys(SALE_PRESETS) as SalePreset[]).map((name) => (
          <button
            key={name}
            type="button"
            class="preset"
            data-testid={`preset-${name}`}
            onClick={() => {
              // A title that was typed stays; one that came with a preset goes with it.
              const isTyped = draft.title.trim() !== '' && draft.title !== givenTitle.current;
              change({ ...SALE_PRESETS[name], title: isTyped ? draft.title : words.presetTitle[name] });
              givenTitle.current = words.presetTitle[name];
            }}
          >
            <b>{words.preset[name]}</b>
            <small>{words.presetTold[name]}</small>
          </button>
        ))}
      </div>
      <div class="create">
        <form
          ref={form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void review();
          }}
        >
          <ItemsPart draft={draft} refusals={refusals} change={change} />
          <TermsPart draft={draft} refusals={refusals} change={change} />
          <TimePart draft={draft} refusals={refusals} change={change} whens={['in', 'at']} lasts={words.lasts} />
          <Refused refusal={unplaced} />
          <div class="acts">
            <Button type="submit" variant="main" pending={verb.pending} testId="review">
              {words.review}
            </Button>
          </div>
        </form>
        <SalePreview items={saleRequestOf(draft, 0).items} />
      </div>
      {stocked !== undefined && <Review draft={draft} stocked={stocked} onClose={() => setStocked(undefined)} />}
    </>
  );
}

/** Fields that show their refusals themselves. */
const PLACED = /^(title|perUserMax|holdMs|opensAt|closesAt|items|items\.\d+\.\w+)$/;

function TermsPart({ draft, refusals, change }: SalePartProps) {
  const { words } = useWords(WORDS);
  const { words: times } = useWords(TIME_WORDS);
  const { words: terms } = useWords(TERM_WORDS);
  return (
    <fieldset class="card">
      <legend>{words.terms}</legend>
      <Field
        label={words.name}
        value={draft.title}
        onInput={(title) => change({ title })}
        hint={words.nameHint}
        refusals={refusalsFor(refusals, 'title')}
        testId="title"
      />
      <div class="pair">
        <Field
          label={words.perUser}
          inputMode="numeric"
          value={draft.perUserMax}
          onInput={(perUserMax) => change({ perUserMax })}
          hint={words.perUserHint}
          refusals={refusalsFor(refusals, 'perUserMax')}
          testId="per-user"
        />
        <Choice
          label={words.service}
          value={draft.orderService}
          options={Object.entries(words.services) as [SaleDraft['orderService'], string][]}
          onChange={(orderService) => change({ orderService })}
        />
      </div>
      <div class="pair">
        <Field
          label={words.hold}
          inputMode="decimal"
          value={draft.hold}
          onInput={(hold) => change({ hold })}
          refusals={refusalsFor(refusals, 'holdMs')}
          testId="hold"
        />
        <Choice
          label={words.unit}
          value={draft.holdUnit}
          options={Object.entries(times.units) as [Unit, string][]}
          onChange={(holdUnit) => change({ holdUnit })}
        />
      </div>
      <Toggle label={words.load} hint={words.loadHint} checked={draft.load} onChange={(load) => change({ load })} />
      {VISIBILITY.map((name) => (
        <Toggle
          key={name}
          label={terms[name].label}
          hint={terms[name].hint}
          checked={draft[name]}
          onChange={(on) => change({ [name]: on })}
        />
      ))}
      {!draft.campaign && (
        <Toggle
          label={words.rehearsal}
          hint={words.rehearsalHint}
          checked={draft.rehearsal}
          onChange={(rehearsal) => change({ rehearsal })}
        />
      )}
    </fieldset>
  );
}
