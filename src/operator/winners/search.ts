import type { BookedRain } from '../../ledger/rains.ts';
import type { QueueContext } from '../context.ts';
import { findWinner, firstPage, listWinners, type Cursor, type WinnerPage } from './list.ts';

interface Search {
  /** An exact user id, a packet number, or a prefix of packet ids; absent: all winners. */
  search?: string | undefined;
  /** Absent: begin with the latest. */
  at?: Cursor | undefined;
  limit: number;
}

/** The matching winners, latest first. A user id may look like a packet id; the user is found first. */
export async function searchWinners(context: QueueContext, rain: BookedRain, { search, at, limit }: Search): Promise<WinnerPage> {
  const packet = search === undefined ? '' : packetPrefix(rain.id, search);
  const user = search === undefined || at !== undefined ? undefined : await findWinner(context, rain, search);
  if (user) return { winners: [user] };
  return packet === undefined ? { winners: [] } : listWinners(context, rain, at ?? await firstPage(context, rain), limit, packet);
}

/** `undefined`: not a packet of this rain. */
function packetPrefix(rainId: string, search: string): string | undefined {
  if (/^\d{1,9}$/.test(search)) return `${rainId}-${search}`;
  return search.startsWith(`${rainId}-`) ? search : undefined;
}
