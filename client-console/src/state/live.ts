import { useEffect, useState } from 'preact/hooks';
import { delayBeforeRetry } from '../../../src/platform/network/backoff.ts';
import type { Sample } from './responses.ts';
import { Ask } from './request.ts';
import { useApp } from './app.ts';

/** Five minutes at one a second: more than any rain of a party, and a bound for a screen that is left open for days. */
const SAMPLES_MAX = 300;
const RETRY = { firstDelayMs: 1_000, delayMsMax: 15_000 };
/** One a second is promised. */
const SILENCE_MS_MAX = 6_000;

interface Live {
  samples: readonly Sample[];
  /** `lost` while it tries to come back by itself. */
  link: 'connecting' | 'up' | 'lost';
}

/**
 * The stream of a rain's samples. It comes back by itself: a browser gives up an EventSource for good when it is refused, and
 * a proxy may hold a dead one open, so both are looked at here.
 */
export function useLive(rainId: string): Live {
  const { ask, awake } = useApp();
  const [live, setLive] = useState<Live>({ samples: [], link: 'connecting' });

  useEffect(() => {
    if (!awake) return undefined;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let ended = false;
    const wait = (ms: number, then: () => void) => {
      clearTimeout(timer);
      timer = setTimeout(then, ms);
    };
    const lost = () => {
      source?.close();
      failures += 1;
      setLive((before) => ({ ...before, link: 'lost' }));
      wait(delayBeforeRetry(failures, RETRY, Math.random), () => void back());
    };
    // A stream does not say why it was refused; the session does.
    const back = async () => {
      const session = await ask.resume();
      if (ended) return;
      if (session.ok) open();
      else if (session.refusal.status === 401) ask.onExpired();
      else lost();
    };
    const open = () => {
      source = new EventSource(Ask.address(`rains/${encodeURIComponent(rainId)}/live`));
      source.onerror = lost;
      source.addEventListener('sample', ({ data }: MessageEvent<string>) => {
        failures = 0;
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
    };
  }, [ask, awake, rainId]);
  return live;
}
