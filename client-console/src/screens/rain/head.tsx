import type { ComponentChildren } from 'preact';
import type { RainView } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { useWords } from '../../words/language.ts';
import { Held } from '../../components/held.tsx';
import { StateChip, Until } from '../rains.tsx';
import { RemoteLink } from '../remote/links.tsx';
import { PauseReason } from './pauseReason.tsx';
import { TABS } from './words.ts';

type Tab = 'rain' | 'live' | 'winners';

/** The header of every screen of one rain. */
export function RainHead({ rain, tab, children }: { rain: RainView; tab: Tab; children?: ComponentChildren }) {
  const { words } = useWords(TABS);
  const { rainId } = rain;
  const to = (screen: Tab, text: string) => (
    <a href={hashOf({ screen, rainId })} aria-current={tab === screen ? 'page' : undefined}>
      {text}
    </a>
  );
  return (
    <>
      <header class="head">
        <div>
          <a class="back" href="#/rains">
            ← {words.back}
          </a>
          <h1>{rain.title}</h1>
          <p class="chips">
            <StateChip state={rain.state} rehearsal={rain.terms.rehearsal} /> <Until rain={rain} />
          </p>
        </div>
        {children && <div class="acts">{children}</div>}
      </header>
      <nav class="tabs" aria-label={rain.title}>
        {to('rain', words.overview)}
        {to('live', words.live)}
        {to('winners', words.winners)}
        <RemoteLink rainId={rainId} />
      </nav>
      <PauseReason id={rainId} state={rain.state} />
      <Held what="rain" held={rain.held === undefined ? [] : [{ id: rainId, reason: rain.held }]} named={false} />
    </>
  );
}
