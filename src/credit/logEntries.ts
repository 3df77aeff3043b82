import { parseClaim, type Claim } from '../rain/claim.ts';
import type { DeadLetter } from './deadLetter.ts';
import type { CreditJob } from './job.ts';

/** A claim and its position in the claim log. */
export interface LoggedClaim {
  index: number;
  entry: string;
  claim: Claim;
}

/** An entry that will not be credited, and why. */
export type LostEntry = Pick<DeadLetter, 'index' | 'entry' | 'reason' | 'detail'>;

/** Parses the entries of a job: each becomes either a claim or a lost entry. */
export function parseEntries({ rainId, from, entries }: CreditJob): { claims: LoggedClaim[]; lost: LostEntry[] } {
  const parsed: ReturnType<typeof parseEntries> = { claims: [], lost: [] };
  entries.forEach((entry, i) => {
    const index = from + i;
    const found = parseClaim(entry);
    if (!found.ok) return parsed.lost.push({ index, entry, reason: 'malformed', detail: found.reason });
    const { claim } = found;
    if (claim.rainId !== rainId) return parsed.lost.push({ index, entry, reason: 'wrong_rain', detail: `the claim is of rain ${claim.rainId}` });
    return parsed.claims.push({ index, entry, claim });
  });
  return parsed;
}

/** Packet ids in one log line at most; the job id names their range. */
const LOGGED_IDS_MAX = 5;

/** Packet ids for a log line about a fault: ids only, never the content. */
export function packetIdsOf(entries: readonly string[]): string[] {
  const ids: string[] = [];
  for (const entry of entries) {
    if (ids.length === LOGGED_IDS_MAX) break;
    const found = parseClaim(entry);
    if (found.ok) ids.push(found.claim.redPacketId);
  }
  return ids;
}
