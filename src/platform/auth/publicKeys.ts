import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';

/** How long the issuer may take to send its public keys, ms. */
const ANSWER_MS_MAX = 3_000;
/** After this time the issuer is asked whether it has withdrawn a key, ms. */
const FRESH_MS = 10 * 60_000;
/** How long keys hold while the issuer does not answer: an evening, ms. */
const STALE_MS_MAX = 6 * 3_600_000;
/** Protects the issuer [R10]: the pause after a request that it answered, and after failed ones, ms. */
const PAUSE_MS = 1_000;
const FAILED_PAUSE_MS = { min: 2_000, max: 30_000 } as const;

/** The issuer did not answer, so it is unknown whether a token is good. */
export class KeysUnavailableError extends Error {}

/**
 * The issuer's public keys. One request at a time fetches them, with pauses; an issuer that is away is not waited for
 * while the last keys hold.
 * @param now epoch ms
 * @throws KeysUnavailableError from the returned function
 */
export function createPublicKeys(jwksUrl: string, now: () => number): JWTVerifyGetKey {
  // jose keeps the keys and chooses among them; this file says when they are fetched.
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: ANSWER_MS_MAX,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
  });
  let [fetchedAt, triedAt, failures] = [-Infinity, -Infinity, 0];
  let fetching: Promise<void> | undefined;
  let fetchingLater: Promise<void> | undefined;

  // A clock that was set back makes what it measured old.
  const isWithin = (ms: number, since: number) => now() >= since && now() < since + ms;
  const mayFetch = () => {
    const pause = Math.min(FAILED_PAUSE_MS.min * 2 ** (failures - 1), FAILED_PAUSE_MS.max);
    return fetching !== undefined || !isWithin(failures > 0 ? pause : PAUSE_MS, triedAt);
  };
  const fetchKeys = () =>
    (fetching ??= keys
      .reload()
      .then(
        () => {
          failures = 0;
          fetchedAt = now();
        },
        () => void failures++,
      )
      .finally(() => {
        triedAt = now();
        fetching = undefined;
      }));

  /** All who name unknown keys within a pause wait for its end together. */
  const fetchAfterPause = () =>
    (fetchingLater ??= sleep(PAUSE_MS, undefined, { ref: false })
      .then(fetchKeys)
      .finally(() => {
        fetchingLater = undefined;
      }));

  return async (header, token) => {
    const fetched = !isWithin(FRESH_MS, fetchedAt) && mayFetch() && fetchKeys();
    if (failures === 0 || !isWithin(STALE_MS_MAX, fetchedAt)) await fetched;
    if (!isWithin(STALE_MS_MAX, fetchedAt)) throw new KeysUnavailableError();
    try {
      return await keys(header, token);
    } catch (error) {
      const isNewest = fetched && failures === 0;
      if (!(error instanceof errors.JWKSNoMatchingKey) || isNewest) throw error;
    }
    // The issuer may have made this key since.
    if (mayFetch()) await fetchKeys();
    else if (failures === 0) await fetchAfterPause();
    if (failures > 0) throw new KeysUnavailableError();
    return keys(header, token);
  };
}
