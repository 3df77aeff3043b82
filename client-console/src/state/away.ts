import { useEffect, useState } from 'preact/hooks';
import type { Away } from './awayWatch.ts';
import { useApp } from './useApi.ts';

/** Set while the server is away: what the page shows is old then, and nothing on it may look verified. */
export function useAway(): Away | undefined {
  const { away } = useApp().api;
  const [current, setCurrent] = useState(away.current);
  useEffect(() => {
    const update = () => setCurrent(away.current);
    update();
    return away.subscribe(update);
  }, [away]);
  return current;
}
