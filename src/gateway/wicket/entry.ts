import type { Challenge } from '../../protocol/puzzle.ts';
import type { Limits } from '../limits.ts';
import type { Ticket } from './tickets.ts';

/** What one session has been handed for one rain, or has shown. */
export interface Entry {
  ticket: Ticket | undefined;
  puzzle: Promise<Challenge> | undefined;
  /** Until when that puzzle can be solved, epoch ms by Redis's clock. */
  puzzleUntil: number;
}

/** The entry of this session to this rain, made when it is missing. Of more than he may watch the oldest goes [R10]. */
export function entryOf(session: { entries: Map<string, Entry> | undefined }, rainId: string, { joinsPerSocketMax }: Limits): Entry {
  const entries = session.entries ??= new Map<string, Entry>();
  const known = entries.get(rainId);
  if (known) return known;
  for (const oldest of entries.keys()) {
    if (entries.size < joinsPerSocketMax) break;
    entries.delete(oldest);
  }
  const entry: Entry = { ticket: undefined, puzzle: undefined, puzzleUntil: 0 };
  entries.set(rainId, entry);
  return entry;
}
