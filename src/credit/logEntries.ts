import { parseClaim, type Claim } from '../rain/claim.ts';
import type { DeadReason } from './deadLetter.ts';
import type { CreditJob } from './job.ts';

/** An entry of a log and its position. */
export interface Logged {
  index: number;
  entry: string;
}

/** A claim and its position in the claim log. */
export interface LoggedClaim extends Logged {
  claim: Claim;
}

/** An entry that is given up, and why. */
export interface Lost<Reason extends string> extends Logged {
  reason: Reason;
  detail: string;
}

/** An entry that will not be credited, and why. */
export type LostEntry = Lost<DeadReason>;

/** Parses the entries of a job: each becomes either a claim or a lost entry. */
export function parseEntries({ rainId, from, entries }: CreditJob): { claims: LoggedClaim[]; lost: LostEntry[] } {
  const parsed: ReturnType<typeof parseEntries> = { claims: [], lost: [] };
  entries.forEach((entry, i) => {
    const index = from + i;
    const found = parseClaim(entry);
    if (!found.ok) return parsed.lost.push({ index, entry, reason: 'malformed', detail: found.reason });
    const { claim } = found;
    if (claim.rainId !== rainId)
      return parsed.lost.push({ index, entry, reason: 'wrong_rain', detail: `the claim is of rain ${claim.rainId}` });
    return parsed.claims.push({ index, entry, claim });
  });
  return parsed;
}

/** Ids in one log line at most; the job id names their range. */
const LOGGED_IDS_MAX = 5;

/**
 * Ids for a line of our own log about a fault: ids only, never the content.
 * @param idOf `undefined`: the entry is invalid
 */
export function firstIdsOf(entries: readonly string[], idOf: (entry: string) => string | undefined): string[] {
  const ids: string[] = [];
  for (const entry of entries) {
    if (ids.length === LOGGED_IDS_MAX) break;
    const id = idOf(entry);
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

export function packetIdsOf(entries: readonly string[]): string[] {
  return firstIdsOf(entries, (entry) => {
    const found = parseClaim(entry);
    return found.ok ? found.claim.redPacketId : undefined;
  });
}
