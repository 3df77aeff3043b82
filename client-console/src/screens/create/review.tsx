import { useRef, useState } from 'preact/hooks';
import { useApp, useVerb } from '../../state/useApi.ts';
import { go, hashOf } from '../../state/route.ts';
import { Dialog } from '../../components/dialog.tsx';
import { centsOf, durationText, momentText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { requestedTermNames } from '../../../../src/rain/terms.ts';
import { WORDS as GREETING_WORDS } from '../greeting/words.ts';
import { TICKET_WORDS } from '../tickets.tsx';
import { formatTerm, TERM_WORDS } from '../term-words.ts';
import { numberTyped, requestsOf, UNITS_MS, type Draft, type RainRequest } from './draft.ts';
import { WORDS } from './words.ts';

/**
 * Describes which money moves, then creates the rains one after the other. A retry continues after the last created
 * rain.
 */
export function Review({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const { words, shared, language } = useWords(WORDS);
  const { words: termWords } = useWords(TERM_WORDS);
  const { words: greetingWords } = useWords(GREETING_WORDS);
  const { words: ticketWords } = useWords(TICKET_WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [createdCount, setCreatedCount] = useState(0);
  const [shown] = useState(() => requestsOf(draft, api.now()));
  // The first click fixes the time of "in five minutes". A retry sends the same requests.
  const requests = useRef<RainRequest[]>(undefined);
  const count = shown.length;
  const { plan, terms, greeting, ticketRules } = shown[0]!;
  const total = moneyText(((centsOf(plan.budget) * count) / 100).toFixed(2));
  const titles = shown.flatMap(({ title }) => title ?? []);
  const durationPhrase = words.lasts(
    durationText(numberTyped(draft.duration) * UNITS_MS[draft.durationUnit], language),
  );

  const create = async () => {
    requests.current ??= requestsOf(draft, api.now());
    for (const request of requests.current.slice(createdCount)) {
      const created = await api.post('rains', request);
      if (!created.ok) return created;
      setCreatedCount((before) => before + 1);
    }
    if (draft.campaign) go({ screen: 'campaign', campaignId: draft.campaign.id });
    else go(count === 1 ? { screen: 'rain', rainId: requests.current[0]!.id } : { screen: 'rains' });
    return { ok: true as const, value: undefined };
  };
  const taken = verb.refusals.some(({ field }) => field === 'id');

  return (
    <Dialog
      title={words.reviewTitle}
      act={count === 1 ? words.make : words.makeAll(count)}
      verb={verb}
      onAct={create}
      onClose={onClose}
    >
      <ul class="deeds" data-testid="deeds">
        <li>
          {titles.length === 0 ? (
            <>
              <b>{words.untitled}</b> {words.untitledTold}
            </>
          ) : (
            <>
              <b data-testid="review-title">{words.titled(titles[0]!, count === 1 ? undefined : titles.at(-1))}</b>{' '}
              {words.titledTold}
            </>
          )}
        </li>
        <li class={terms.rehearsal ? 'shadow' : 'money'}>
          <b>{terms.rehearsal ? words.testMoney(total) : words.leaves(total)}</b>{' '}
          {terms.rehearsal ? words.testMoneyTold : words.leavesTold(count, moneyText(plan.budget))}
        </li>
        <li>
          <b>
            {words.holds(
              shared.packets(plan.packets),
              moneyText(plan.min ?? '0.01'),
              plan.max === undefined ? undefined : moneyText(plan.max),
            )}
          </b>{' '}
          {words.holdsTold}
        </li>
        {draft.when === 'in' ? (
          <li>
            <b>{words.opensIn(durationText(numberTyped(draft.startIn) * UNITS_MS[draft.startInUnit], language))}</b>{' '}
            {durationPhrase}
          </li>
        ) : (
          shown.map(({ id, opensAt }, i) => (
            <li key={id}>
              <b>{words.opens(momentText(opensAt, language))}</b> {durationPhrase}{' '}
              {i < createdCount && `✓ ${words.made}`}
            </li>
          ))
        )}
        {requestedTermNames()
          .filter((name) => name in terms && name !== 'rehearsal')
          .map((name) => (
            <li key={name}>
              <b>{termWords[name].label}</b> {formatTerm(termWords[name], terms[name])}
            </li>
          ))}
        {ticketRules && (
          <li data-testid="review-tickets">
            <b>
              {ticketWords.tickets}: {ticketWords.when[ticketRules.tickets]}
            </b>{' '}
            {ticketWords.proofOfWork}: {ticketWords.when[ticketRules.proofOfWork]}
          </li>
        )}
        {(greeting?.sender ?? greeting?.blessing) !== undefined && (
          <li data-testid="review-greeting">
            <b>
              {[greeting?.blessing && `“${greeting.blessing}”`, greeting?.sender && greetingWords.from(greeting.sender)]
                .filter(Boolean)
                .join(' ')}
            </b>{' '}
            {greetingWords.review}
          </li>
        )}
        <li>
          <b>{words.back}</b> {words.backTold}
        </li>
      </ul>
      {taken && (
        <p>
          <a href={hashOf({ screen: 'rain', rainId: requests.current![createdCount]!.id })}>{words.toRain}</a>
        </p>
      )}
    </Dialog>
  );
}
