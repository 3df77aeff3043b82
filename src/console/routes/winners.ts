import { searchWinners, type Cursor } from '../../operator/winners/list.ts';
import { winnersSheet } from '../../operator/winners/sheet.ts';
import { EXPECTED_CURSOR } from '../contract/endpoint.ts';
import { winnersApi } from '../contract/winners.ts';
import { refusalFor } from '../refusals.ts';
import { exportSheet } from './exportSheet.ts';
import { rainRoute, type Route } from './route.ts';

export const winnerRoutes: readonly Route[] = [
  rainRoute(winnersApi.list, async ({ context, rain, query: { search, cursor, limit } }) => {
    const at = cursor === undefined ? undefined : readCursor(cursor, rain.shards);
    if (cursor !== undefined && !at)
      return { declined: refusalFor([{ field: 'cursor', reason: EXPECTED_CURSOR }], 'bad_request') };
    const { winners, next } = await searchWinners(context, rain, { search, at, limit });
    return { answer: { winners, ...(next && { next: writeCursor(next) }) } };
  }),

  rainRoute(winnersApi.csv, ({ context, visitor, rain, reply }) =>
    exportSheet(reply, visitor, `winners-${rain.id}`, () => winnersSheet(context, rain)),
  ),
];

/** Opaque text that the client sends back unchanged. */
function writeCursor(cursor: Cursor): string {
  return cursor.in === 'log'
    ? `l${cursor.from.join('.')}`
    : `b${Buffer.from(cursor.afterUserId ?? '').toString('base64url')}`;
}

function readCursor(text: string, shards: number): Cursor | undefined {
  if (/^l\d{1,9}(\.\d{1,9})*$/.test(text)) {
    const from = text.slice(1).split('.').map(Number);
    return from.length === shards ? { in: 'log', from } : undefined;
  }
  if (!/^b[A-Za-z0-9_-]*$/.test(text)) return undefined;
  const afterUserId = Buffer.from(text.slice(1), 'base64url').toString();
  return afterUserId.includes('\0') ? undefined : { in: 'book', ...(afterUserId !== '' && { afterUserId }) };
}
