import { useState } from 'preact/hooks';
import type { Action, RainDetail, RainState, Verdict } from '../../state/responses.ts';
import { playerAddress } from '../../state/playerPage.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Refused } from '../../components/awaited.tsx';
import { countText, momentText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { ACTION_WORDS, verbText } from '../action-words.ts';
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
      <div class="row">
        <h2 id="fairness">{words.fairness}</h2>
        {rain.state === 'settled' && (
          <Button pending={verb.pending} onClick={() => void verify()} testId="verify">
            {words.verify}
          </Button>
        )}
      </div>
      {rain.commitment === undefined ? (
        <p class="hint">{words.noCommitment}</p>
      ) : (
        <>
          <h3>{words.commitment}</h3>
          <Copyable text={rain.commitment} testId="commitment" />
          <p class="hint">{words.commitmentTold}</p>
        </>
      )}
      {rain.topUps.map(({ topUp, budget, packets, commitment }) => (
        <div key={topUp}>
          <h3>
            {words.topUp(topUp)}: {moneyText(budget)}, {shared.packets(packets)}
          </h3>
          <Copyable text={commitment} />
        </div>
      ))}
      {rain.seed !== undefined ? (
        <>
          <h3>{words.seed}</h3>
          <Copyable text={rain.seed} />
        </>
      ) : (
        <p class="hint">{words.verifyLater}</p>
      )}
      <Refused refusal={verb.refusal} />
      {verdict && (
        <div class={verdict.fair ? 'verdict good' : 'verdict bad'} role="status" data-testid="verdict">
          <b>{verdict.fair ? `✓ ${words.fair}` : `✗ ${words.unfair}`}</b>
          <p>{words.checked(countText(verdict.checked.claims), countText(verdict.checked.credits))}</p>
          <ul>
            {verdict.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

interface InviteProps {
  kind: 'rain' | 'sale';
  id: string;
  state: RainState;
  words: Pick<typeof WORDS.en, 'invite' | 'players' | 'openPage' | 'bots' | 'botsHint' | 'hall'>;
  /** A warning about simulated players or buyers here. */
  warning?: string | undefined;
}

/** The link for players or buyers, and the command for simulated ones, until the rain or sale has ended. */
export function Invite({ kind, id, state, words, warning }: InviteProps) {
  const { session } = useApp();
  if (state === 'closed' || state === 'settled') return null;
  const at = (path: string) => playerAddress(session, path).href;
  const link = at(`?${kind}=${encodeURIComponent(id)}`);
  return (
    <section class="card" aria-labelledby="invite">
      <h2 id="invite">{words.invite}</h2>
      <h3>{words.players}</h3>
      <p class="row">
        <a href={link} target="_blank" rel="noopener" data-testid="player-link">
          {words.openPage}
        </a>
      </p>
      <Copyable text={link} testId="player-address" />
      <p class="row">
        <a href={at(`hall/${encodeURIComponent(id)}`)} target="_blank" rel="noopener" data-testid="hall-link">
          {words.hall}
        </a>
      </p>
      <h3>{words.bots}</h3>
      <Copyable text={`npm run rain -- swarm --${kind} ${id} --users 300`} testId="swarm-command" />
      {warning !== undefined && (
        <p class="hint" data-testid="bots-warning">
          <b>{warning}</b>
        </p>
      )}
      <p class="hint">{words.botsHint}</p>
    </section>
  );
}

/** The operators' actions and the opening and closing of a rain or a sale, latest first. */
export function Timeline({
  rain,
  actions,
}: {
  rain: Pick<RainDetail, 'state' | 'opensAt' | 'closesAt'>;
  actions: readonly Action[];
}) {
  const { words, language } = useWords(WORDS);
  const { words: verbs } = useWords(ACTION_WORDS);
  const now = useApp().api.now();
  const ended = rain.state === 'closed' || rain.state === 'settled';
  const moment = (at: string, coming: string, past: string) => ({
    key: coming,
    at,
    what: Date.parse(at) > now ? coming : past,
    who: '',
    ahead: Date.parse(at) > now,
  });
  const steps = [
    // A rain that was ended early never reached these times.
    ...(ended && Date.parse(rain.opensAt) > now ? [] : [moment(rain.opensAt, words.opens, words.opened)]),
    ...(ended && Date.parse(rain.closesAt) > now ? [] : [moment(rain.closesAt, words.closes, words.closed)]),
    ...actions.map(({ id, at, verb, actor }) => ({
      key: String(id),
      at,
      what: verbText(verbs, verb),
      who: actor,
      ahead: false,
    })),
  ].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return (
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">{words.timeline}</h2>
      <ol class="timeline">
        {steps.map(({ key, at, what, who, ahead }) => (
          <li key={key} class={ahead ? 'ahead' : ''}>
            <b>{what}</b> {who && <span>{who}</span>}
            <time dateTime={at}>{momentText(at, language)}</time>
          </li>
        ))}
      </ol>
    </section>
  );
}
