import type { AuditAnswer, RainDetail } from '../../state/responses.ts';
import { useAudited } from '../../state/useAudited.ts';
import { hashOf } from '../../state/route.ts';
import { Button } from '../../components/button.tsx';
import { Awaited, Empty } from '../../components/awaited.tsx';
import { EquationBar } from '../../components/equation-bar.tsx';
import { countText, momentText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { TERM_NAMES } from '../../../../src/rain/terms.ts';
import { GreetingCard } from '../greeting/card.tsx';
import { formatTerm, TERM_WORDS } from '../term-words.ts';
import { VerbButtons } from './verb-buttons.tsx';
import { Fairness, Invite, Timeline } from './cards.tsx';
import { RainHead } from './head.tsx';
import { Reconcile } from './reconcile.tsx';
import { WORDS } from './words.ts';

export function RainPage({ rainId }: { rainId: string }) {
  const { words } = useWords(WORDS);
  const path = `rains/${encodeURIComponent(rainId)}`;
  const { request, audit, actions, again } = useAudited<RainDetail, AuditAnswer>(path, rainId);
  if (request.refusal?.status === 404)
    return (
      <Empty title={words.noRain} calm whole>
        <p>
          <code>{rainId}</code>
        </p>
      </Empty>
    );
  return (
    <Awaited request={request}>
      {(rain) => (
        <>
          <RainHead rain={rain} tab="rain">
            <VerbButtons rain={rain} onDone={again} />
          </RainHead>
          <div class="columns">
            <div>
              <section class="card" aria-labelledby="money">
                <div class="row">
                  <h2 id="money">{words.money}</h2>
                  <Button variant="quiet" onClick={audit.again}>
                    {words.audit}
                  </Button>
                </div>
                <Awaited request={audit}>
                  {(found) => (
                    <>
                      <EquationBar equation={found} />
                      <Findings audit={found} />
                    </>
                  )}
                </Awaited>
              </section>
              <Fairness rain={rain} />
              {rain.payoutProvider === 'webhook' && <Reconcile rain={rain} />}
            </div>
            <div>
              <Figures rain={rain} />
              <GreetingCard rain={rain} onDone={again} />
              <Invite kind="rain" id={rainId} state={rain.state} words={words} />
              <Timeline rain={rain} actions={actions.value?.actions ?? []} />
            </div>
          </div>
        </>
      )}
    </Awaited>
  );
}

function Findings({ audit }: { audit: AuditAnswer }) {
  const { words } = useWords(WORDS);
  const oversold = audit.told_twice ?? 0;
  const findings = [...(oversold > 0 ? [words.oversold(oversold)] : []), ...(audit.findings ?? [])];
  if (findings.length === 0) return null;
  return (
    <div class="findings" role="status">
      <h3>{words.findings}</h3>
      <ul>
        {findings.map((finding) => (
          <li key={finding}>{finding}</li>
        ))}
      </ul>
    </div>
  );
}

function Figures({ rain }: { rain: RainDetail }) {
  const { words, language, shared } = useWords(WORDS);
  const { words: termWords } = useWords(TERM_WORDS);
  // A settlement takes what nobody has won out of the list: "0 left" would be read as "all won".
  const notWon: [string, string, string] =
    rain.state === 'settled'
      ? [shared.parts.recycled, moneyText(rain.recycled), 'recycled']
      : [words.left, countText(rain.left), 'left'];
  const figures: [string, string, string][] = [
    [words.budget, moneyText(rain.budget), 'budget'],
    [words.packets, countText(rain.packets), 'packets'],
    notWon,
    [words.won, countText(rain.claims), 'claims'],
    [words.credited, countText(rain.credited), 'credited'],
    [words.queued, countText(Math.max(0, rain.relayed - rain.credited)), 'queued'],
  ];
  return (
    <section class="card">
      <dl class="figures">
        {figures.map(([name, value, id]) => (
          <div key={id}>
            <dt>{name}</dt>
            <dd data-testid={`figure-${id}`}>{value}</dd>
          </div>
        ))}
      </dl>
      <dl class="facts">
        <div>
          <dt>{words.window}</dt>
          <dd>
            {momentText(rain.opensAt, language)} – {momentText(rain.closesAt, language)}
          </dd>
        </div>
        {rain.campaign && (
          <div>
            <dt>{words.round}</dt>
            <dd>
              <a href={hashOf({ screen: 'campaign', campaignId: rain.campaign.id })}>{rain.campaign.id}</a>,{' '}
              {words.roundOf(rain.campaign.round)}
            </dd>
          </div>
        )}
        {TERM_NAMES.filter((name) => name in rain.terms).map((name) => (
          <div key={name}>
            <dt>{termWords[name].label}</dt>
            <dd>{formatTerm(termWords[name], rain.terms[name])}</dd>
          </div>
        ))}
        <div>
          <dt>{words.id}</dt>
          <dd>
            <code>{rain.rainId}</code>
          </dd>
        </div>
      </dl>
    </section>
  );
}
