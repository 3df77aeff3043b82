import { useState } from 'preact/hooks';
import type { RainView } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { useApp, useRequest } from '../../state/useApi.ts';
import { Awaited, Empty } from '../../components/awaited.tsx';
import { useWords } from '../../words/language.ts';
import { inTurn, isRunning } from './choose.ts';
import { RemotePanel } from './panel.tsx';
import { WORDS } from './words.ts';

const REFRESH_MS = 3_000;
/** A rain that is played was created not long ago. */
const RAINS = 200;

/**
 * The host's phone: one rain, large. It stays the same one until the host asks for another, so that no thumb meets a
 * button of the next.
 */
export function Remote({ rainId }: { rainId?: string | undefined }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const request = useRequest<{ rains: RainView[] }>(`rains?limit=${RAINS}`, REFRESH_MS);
  const turn = inTurn(request.value?.rains ?? [], api.now());
  const [first, setFirst] = useState<string>();
  const shown = rainId ?? first ?? turn[0]?.rainId;
  if (shown !== undefined && rainId === undefined && first === undefined) setFirst(shown);
  if (shown === undefined) {
    return (
      <Awaited request={request}>
        {() => (
          <Empty title={words.none} calm whole>
            <p>{words.noneTold}</p>
            <a class="button" href="#/rains">
              {words.all}
            </a>
          </Empty>
        )}
      </Awaited>
    );
  }
  const now = api.now();
  const others = turn.filter((rain) => rain.rainId !== shown);
  const running = others.find((rain) => isRunning(rain, now));
  const next = others.find((rain) => !isRunning(rain, now));
  const to = (rain: RainView, text: string, testId: string) => (
    <a class="button" href={hashOf({ screen: 'remote', rainId: rain.rainId })} data-testid={testId}>
      {text}
    </a>
  );
  return (
    <RemotePanel key={shown} rainId={shown}>
      {running && to(running, words.running(running.title), 'remote-running')}
      {next && to(next, words.next(next.title), 'remote-next')}
    </RemotePanel>
  );
}
