import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Refusal } from './request.ts';
import { useApp } from './app.ts';

export interface RequestState<T> {
  /** The last good answer; stays while a later one is awaited or refused. */
  value?: T;
  refusal?: Refusal;
  /** Nothing is known yet. */
  waiting: boolean;
  again: () => void;
}

/**
 * What stands at this path, asked again every so often while somebody looks, and after a login. A slow answer is never
 * overtaken by the next question. `undefined` asks nothing.
 */
export function useRequest<T>(path: string | undefined, everyMs?: number): RequestState<T> {
  const { ask, awake } = useApp();
  const [known, setKnown] = useState<{ path: string | undefined; value?: T; refusal?: Refusal }>({ path });
  const [turn, setTurn] = useState(0);
  const shown = useRef(path);
  shown.current = path;

  useEffect(() => {
    if (path === undefined || !awake) return undefined;
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let first = true;
    const look = async () => {
      // Nobody looks at a hidden page; but when it is seen, something must stand there.
      if (first || !document.hidden) {
        first = false;
        const answer = await ask.get<T>(path, gone.signal);
        if (gone.signal.aborted || shown.current !== path) return;
        setKnown((before) => (answer.ok ? { path, value: answer.value }
          : { path, refusal: answer.refusal, ...(before.path === path && before.value !== undefined && { value: before.value }) }));
      }
      if (everyMs !== undefined) timer = setTimeout(() => void look(), everyMs);
    };
    void look();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [ask, path, everyMs, turn, awake]);

  const again = useCallback(() => setTurn((before) => before + 1), []);
  const fresh = known.path === path ? known : { path };
  return { ...fresh, waiting: fresh.value === undefined && fresh.refusal === undefined, again };
}
