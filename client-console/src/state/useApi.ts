import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { isAway } from './awayWatch.ts';
import type { Answer, ApiClient, Refusal } from './request.ts';
import type { Session } from './responses.ts';

export interface AppState {
  api: ApiClient;
  session: Session;
  /** After a change of the account: it has opened a new session. */
  onSession: (session: Session) => void;
  /** False for a viewer, who sees no buttons that change something. */
  mayAct: boolean;
  /** False while the login covers the page. No requests are sent then. */
  awake: boolean;
}

export const AppContext = createContext<AppState | undefined>(undefined);

export function useApp(): AppState {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp() was called outside of <App>');
  return app;
}

export interface RequestState<T> {
  /** The last good answer. It stays while a later one is pending or refused. */
  value?: T;
  refusal?: Refusal;
  /** Nothing is known yet. */
  waiting: boolean;
  again: () => void;
}

/** How soon a request that lost the server is made again, if it is not repeated anyway. */
const AWAY_RETRY_MS = 3_000;

/**
 * Requests a path, repeatedly while the page is visible, and again after a login. The next request waits for a slow
 * answer.
 * @param path `undefined`: no request
 * @param version the answer depends on it: a new one asks again
 */
export function useRequest<T>(path: string | undefined, everyMs?: number, version?: string): RequestState<T> {
  const { api, awake } = useApp();
  const [known, setKnown] = useState<{ path: string | undefined; value?: T; refusal?: Refusal }>({ path });
  const [reloads, setReloads] = useState(0);

  useEffect(() => {
    if (path === undefined || !awake) return undefined;
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let first = true;
    let lastAnswerAt = api.now();
    const load = async () => {
      // A hidden page is not refreshed, except for the first load.
      if (first || !document.hidden) {
        first = false;
        const answer = await api.get<T>(path, gone.signal);
        if (gone.signal.aborted) return;
        setKnown((before) =>
          answer.ok
            ? { path, value: answer.value }
            : { path, refusal: answer.refusal, ...(before.path === path && { value: before.value }) },
        );
        const refusal = answer.ok ? undefined : answer.refusal;
        api.away.note(gone, refusal?.code, lastAnswerAt);
        if (!isAway(refusal)) lastAnswerAt = api.now();
        else if (everyMs === undefined) timer = setTimeout(() => void load(), AWAY_RETRY_MS);
      }
      if (everyMs !== undefined) timer = setTimeout(() => void load(), everyMs);
    };
    void load();
    return () => {
      gone.abort();
      clearTimeout(timer);
      api.away.note(gone, undefined, lastAnswerAt);
    };
  }, [api, path, everyMs, version, reloads, awake]);

  const again = useCallback(() => setReloads((before) => before + 1), []);
  const fresh = known.path === path ? known : { path };
  return { ...fresh, waiting: fresh.value === undefined && fresh.refusal === undefined, again };
}

export type Verb = ReturnType<typeof useVerb>;

/** `pending` from the click until the console has answered; `refusals`: the faulty fields of the refused request. */
export function useVerb() {
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const busy = useRef(false);
  /**
   * A second click while the first is pending does nothing.
   * @returns the answer's value, or undefined when it was refused
   */
  const run = useCallback(async <T>(verb: () => Promise<Answer<T>>) => {
    if (busy.current) return undefined;
    busy.current = true;
    setPending(true);
    setRefusal(undefined);
    try {
      const answer = await verb();
      if (answer.ok) return { done: answer.value };
      setRefusal(answer.refusal);
      return undefined;
    } finally {
      busy.current = false;
      setPending(false);
    }
  }, []);
  return {
    pending,
    refusal,
    refusals: refusal?.refusals ?? [],
    run,
    forget: useCallback(() => setRefusal(undefined), []),
  };
}

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
