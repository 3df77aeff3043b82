import type { BookedRain } from '../../ledger/rains.ts';
import type { QueueContext } from '../context.ts';
import { findWinner, firstPage, listWinners, type Cursor, type WinnerPage } from './list.ts';

interface Search {
  /** A user, exactly, or a packet's number, or the beginning of packet ids; absent: everybody. */
  search?: string | undefined;
  /** Absent: from the latest on. */
  at?: Cursor | undefined;
  limit: number;
}

/** The winners that are looked for, the latest first. A user may be called like a packet; he is found first. */
export async function searchWinners(context: QueueContext, rain: BookedRain, { search, at, limit }: Search): Promise<WinnerPage> {
  const packet = search === undefined ? '' : packetPrefix(rain.id, search);
  const user = search === undefined || at !== undefined ? undefined : await findWinner(context, rain, search);
  if (user) return { winners: [user] };
  return packet === undefined ? { winners: [] } : listWinners(context, rain, at ?? await firstPage(context, rain), limit, packet);
}

/** `undefined`: it is none of this rain's. */
function packetPrefix(rainId: string, search: string): string | undefined {
  if (/^\d{1,9}$/.test(search)) return `${rainId}-${search}`;
  return search.startsWith(`${rainId}-`) ? search : undefined;
}
