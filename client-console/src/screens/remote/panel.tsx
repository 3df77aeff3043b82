import type { ComponentChildren } from 'preact';
import type { RainDetail, Sample } from '../../state/responses.ts';
import { useLive } from '../../state/live.ts';
import { useAway } from '../../state/away.ts';
import { useOnline } from '../../state/online.ts';
import { hashOf } from '../../state/route.ts';
import { useApp, useNow, useRequest } from '../../state/useApi.ts';
import { Awaited, Empty } from '../../components/awaited.tsx';
import { useWords } from '../../words/language.ts';
import { Hero } from '../live/hero.tsx';
import { WORDS as LIVE } from '../live/words.ts';
import { StateChip } from '../rains.tsx';
import { RemoteButtons } from './buttons.tsx';
import { remoteVerbs } from './choose.ts';
import { WORDS } from './words.ts';

const REFRESH_MS = 5_000;
const REFRESH_BEHIND_MS = 2_000;
const TICK_MS = 250;

/** One rain: its state, its countdown and what is left, and the buttons that are possible now. */
export function RemotePanel({ rainId, children }: { rainId: string; children: ComponentChildren }) {
  const { words } = useWords(WORDS);
  const { words: live } = useWords(LIVE);
  const { mayAct } = useApp();
  const path = `rains/${encodeURIComponent(rainId)}`;
  const { samples, link } = useLive<Sample>(path);
  const request = useRequest<RainDetail>(path, link === 'behind' ? REFRESH_BEHIND_MS : REFRESH_MS);
  const [away, online, now] = [useAway(), useOnline(), useNow(TICK_MS)];
  if (request.refusal?.status === 404)
    return (
      <Empty title={words.none} calm whole>
        <p>
          <code>{rainId}</code>
        </p>
      </Empty>
    );
  const sample = link === 'behind' ? undefined : samples.at(-1);
  const reached = link === 'lost' || away || !online ? 'lost' : link === 'connecting' ? 'connecting' : 'up';
  return (
    <Awaited request={request}>
      {(rain) => {
        // Without a stream the buttons go by figures that are asked for.
        const seen = sample ?? { ...rain, wins: rain.claims };
        return (
          <div class="remote" data-state={seen.state} data-link={reached} data-testid="remote">
            <header>
              <h1>{rain.title}</h1>
              <p class="chips">
                <StateChip state={seen.state} rehearsal={rain.terms.rehearsal} />
              </p>
            </header>
            <Hero sample={seen} words={live} />
            {reached === 'up' && link === 'behind' && <p class="hint">{live.behind}</p>}
            {seen.state === 'draft' && <p>{words.draft}</p>}
            {mayAct ? (
              <RemoteButtons
                rain={rain}
                path={path}
                verbs={remoteVerbs(seen, now)}
                told={sample ?? rain}
                reached={reached}
              />
            ) : (
              <p class="remote-note" role="status">
                {reached === 'lost' ? words.lost : words.viewer}
              </p>
            )}
            <nav class="remote-others" aria-label={words.title}>
              {children}
              <a class="button quiet" href={hashOf({ screen: 'rain', rainId })}>
                {words.page}
              </a>
            </nav>
          </div>
        );
      }}
    </Awaited>
  );
}
