import { parseClaim, type Claim } from '../rain/claim.ts';
import type { DeadReason } from './deadLetter.ts';
import type { CreditJob } from './job.ts';

/** A claim and where it stood in the claim log. */
export interface LoggedClaim {
  index: number;
  entry: string;
  claim: Claim;
}

/** An entry that will not be credited, and why. */
export interface LostEntry {
  index: number;
  entry: string;
  reason: DeadReason;
  detail: string;
}

interface ParsedEntries {
  claims: LoggedClaim[];
  lost: LostEntry[];
}

/** The door of the credit worker: every entry ends on one side or the other. */
export function parseEntries({ rainId, from, entries }: CreditJob): ParsedEntries {
  const parsed: ParsedEntries = { claims: [], lost: [] };
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

/** Ids in one line of a log at most; the job names the range they are from. */
const TOLD_MAX = 5;

/** What to look for, for a line of a log in which something went wrong: ids of packets, never what is in them. */
export function packetIdsOf(entries: readonly string[]): string[] {
  const ids: string[] = [];
  for (const entry of entries) {
    if (ids.length === TOLD_MAX) break;
    const found = parseClaim(entry);
    if (found.ok) ids.push(found.claim.redPacketId);
  }
  return ids;
}
