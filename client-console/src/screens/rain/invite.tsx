import type { RainDetail } from '../../state/responses.ts';
import { Copyable } from '../../components/copy.tsx';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

/** The link for players and the command for simulated players, until the rain has ended. */
export function Invite({ rain: { rainId, state } }: { rain: RainDetail }) {
  const { words } = useWords(WORDS);
  if (state === 'closed' || state === 'settled') return null;
  const link = new URL(`../?rain=${encodeURIComponent(rainId)}`, location.href.split('#')[0]).href;
  return (
    <section class="card" aria-labelledby="invite">
      <h2 id="invite">{words.invite}</h2>
      <h3>{words.players}</h3>
      <p class="row"><a href={link} target="_blank" rel="noopener" data-testid="player-link">{words.openPage}</a></p>
      <Copyable text={link} testId="player-address" />
      <h3>{words.bots}</h3>
      <Copyable text={`npm run rain -- swarm --rain ${rainId} --users 300`} testId="swarm-command" />
      <p class="hint">{words.botsHint}</p>
    </section>
  );
}
