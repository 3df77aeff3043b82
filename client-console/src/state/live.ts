import { useEffect, useState } from 'preact/hooks';
import { delayBeforeRetry } from '../../../src/platform/network/backoff.ts';
import type { Session } from './responses.ts';
import { ApiClient } from './request.ts';
import { useApp } from './useApi.ts';

/** Five minutes at one sample per second. Bounds the memory of a screen that stays open for days. */
const SAMPLES_MAX = 300;
const RETRY = { firstDelayMs: 1_000, delayMsMax: 15_000 };
/** One sample per second is expected. */
const SILENCE_MS_MAX = 6_000;

/**
 * The stream of samples of a rain or a sale. It reconnects itself, because a browser gives up a refused EventSource for
 * good, and because a proxy may keep a dead one open. `lost`: it is reconnecting. `behind`: the console answers, and has
 * no place for this stream; the page asks for its figures instead.
 *
 * @param path the rain's or the sale's
 */
export function useLive<Sample>(path: string) {
  const { api, awake } = useApp();
  const [live, setLive] = useState<{ samples: readonly Sample[]; link: 'connecting' | 'up' | 'behind' | 'lost' }>({
    samples: [],
    link: 'connecting',
  });

  useEffect(() => {
    if (!awake) return undefined;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let ended = false;
    const stream = {};
    let lastSampleAt = api.now();
    const wait = (ms: number, then: () => void) => {
      clearTimeout(timer);
      timer = setTimeout(then, ms);
    };
    let isBehind = false;
    const linkIs = (link: 'behind' | 'lost') => {
      isBehind = link === 'behind';
      setLive((before) => ({ ...before, link }));
      api.away.note(stream, isBehind ? undefined : 'unreachable', lastSampleAt);
    };
    const lost = () => {
      source?.close();
      failures += 1;
      if (!isBehind) linkIs('lost');
      clearTimeout(timer);
      void ask();
    };
    // An EventSource does not report why it was refused. A request for the session does.
    const ask = async () => {
      const session = await api.get<Session>('session');
      if (ended) return;
      if (!session.ok && session.refusal.status === 401) return api.onExpired();
      if (session.ok) lastSampleAt = api.now();
      linkIs(session.ok ? 'behind' : 'lost');
      wait(delayBeforeRetry(failures, RETRY, Math.random), session.ok ? open : lost);
    };
    const open = () => {
      source = new EventSource(ApiClient.address(`${path}/live`));
      source.onerror = lost;
      source.addEventListener('sample', ({ data }: MessageEvent<string>) => {
        failures = 0;
        isBehind = false;
        lastSampleAt = api.now();
        api.away.note(stream, undefined, lastSampleAt);
        wait(SILENCE_MS_MAX, lost);
        const sample = JSON.parse(data) as Sample;
        setLive(({ samples }) => ({ link: 'up', samples: [...samples.slice(1 - SAMPLES_MAX), sample] }));
      });
      wait(SILENCE_MS_MAX, lost);
    };
    open();
    return () => {
      ended = true;
      clearTimeout(timer);
      source?.close();
      api.away.note(stream, undefined, lastSampleAt);
    };
  }, [api, awake, path]);
  return live;
}
