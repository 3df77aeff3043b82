import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../state/useApi.ts';

/** The server's time, epoch ms, so that countdowns here agree with those on the phones. */
export function useNow(everyMs = 1_000): number {
  const { api } = useApp();
  const [now, setNow] = useState(() => api.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(api.now()), everyMs);
    return () => clearInterval(timer);
  }, [api, everyMs]);
  return now;
}
