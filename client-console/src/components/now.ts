import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../state/app.ts';

/** The server's time, epoch ms, so that a countdown on this page agrees with the one on the phones. */
export function useNow(everyMs = 1_000): number {
  const { ask } = useApp();
  const [now, setNow] = useState(() => ask.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(ask.now()), everyMs);
    return () => clearInterval(timer);
  }, [ask, everyMs]);
  return now;
}
