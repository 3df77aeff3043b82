/** By the first word of its answer, why a Redis that can be reached does not serve now. */
const REFUSED = {
  READONLY: 'it is a replica, and takes no writes',
  OOM: 'its memory is full (maxmemory)',
  BUSY: 'it is still busy with a script',
  MISCONF: 'it cannot write to its disk',
  NOREPLICAS: 'it has fewer replicas than it was told to wait for',
  LOADING: 'it is loading its data',
  MASTERDOWN: 'it is a replica that has lost its master',
  TRYAGAIN: 'its Cluster is moving this key to another master',
  CLUSTERDOWN: 'its Cluster serves no key now, or not this one',
} as const;
/** At the start of an answer, or after `-` where Redis 6 wraps the error of a script. */
const REFUSAL = new RegExp(`(?:^|[\\s-])(${Object.keys(REFUSED).join('|')}) (?=\\w)`);

/** Why Redis answers and does not serve, as the end of a sentence, with the word of its answer; else `undefined`. */
export function refusedBecause(error: unknown): string | undefined {
  const code = REFUSAL.exec(error instanceof Error ? error.message : String(error))?.[1];
  return code && `${REFUSED[code as keyof typeof REFUSED]} (${code})`;
}

/** Whether a connection has found a replica in the place of its master. */
export function isReplicas(error: Error): boolean {
  return REFUSAL.exec(error.message)?.[1] === 'READONLY';
}
