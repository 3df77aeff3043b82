import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Refusal } from './request.ts';
import { useApp } from './app.ts';

export interface RequestState<T> {
  /** The last good answer. It stays while a later one is pending or refused. */
  value?: T;
  refusal?: Refusal;
  /** Nothing is known yet. */
  waiting: boolean;
  again: () => void;
}

/**
 * Requests a path, repeatedly while the page is visible, and again after a login. The next request waits for a slow answer.
 * @param path `undefined`: no request
 */
export function useRequest<T>(path: string | undefined, everyMs?: number): RequestState<T> {
  const { api, awake } = useApp();
  const [known, setKnown] = useState<{ path: string | undefined; value?: T; refusal?: Refusal }>({ path });
  const [reloads, setReloads] = useState(0);
  const shown = useRef(path);
  shown.current = path;

  useEffect(() => {
    if (path === undefined || !awake) return undefined;
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let first = true;
    const load = async () => {
      // A hidden page is not refreshed, except for the first load.
      if (first || !document.hidden) {
        first = false;
        const answer = await api.get<T>(path, gone.signal);
        if (gone.signal.aborted || shown.current !== path) return;
        setKnown((before) => (answer.ok ? { path, value: answer.value }
          : { path, refusal: answer.refusal, ...(before.path === path && before.value !== undefined && { value: before.value }) }));
      }
      if (everyMs !== undefined) timer = setTimeout(() => void load(), everyMs);
    };
    void load();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [api, path, everyMs, reloads, awake]);

  const again = useCallback(() => setReloads((before) => before + 1), []);
  const fresh = known.path === path ? known : { path };
  return { ...fresh, waiting: fresh.value === undefined && fresh.refusal === undefined, again };
}
