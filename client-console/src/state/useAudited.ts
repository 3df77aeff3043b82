import { useCallback, useEffect } from 'preact/hooks';
import type { Action } from './responses.ts';
import { useRequest } from './useApi.ts';

const REFRESH_MS = 2_000;
/** An audit reads the whole log, so it runs only as often as a person reads it. */
const AUDIT_MS = 8_000;

/**
 * A rain or a sale, its audit, and what operators have done to it. The audit is requested once the state is known, and
 * again whenever it changes; what is settled is audited once.
 *
 * @param path its address below the API
 * @param id its id
 */
export function useAudited<Subject extends { state: string }, Audit>(path: string, id: string) {
  const request = useRequest<Subject>(path, REFRESH_MS);
  const state = request.value?.state;
  const everyMs = state === 'settled' ? undefined : AUDIT_MS;
  const audit = useRequest<Audit>(state && `${path}/audit`, everyMs, state);
  const actions = useRequest<{ actions: Action[] }>(
    state && `actions?rainId=${encodeURIComponent(id)}`,
    everyMs,
    state,
  );
  // An audit may have seen the settlement first: figures of two moments on one page do not add up.
  useEffect(() => {
    if (audit.value) request.again();
  }, [audit.value]);
  const again = useCallback(() => {
    request.again();
    audit.again();
    actions.again();
  }, []);
  return { request, audit, actions, again };
}
