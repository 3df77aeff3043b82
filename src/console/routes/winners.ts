import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { BookedRain } from '../../ledger/rains.ts';
import type { QueueDesk } from '../../operator/desk.ts';
import { allWinners, findWinner, firstPage, listWinners, type Cursor } from '../../operator/winners/list.ts';
import { winnersApi } from '../contract/winners.ts';
import { declined, declinedFor, route, type Route } from './route.ts';

/** Each reads a whole rain [R10]. */
const EXPORTS_MAX = 3;
let exporting = 0;

export const winnerRoutes: readonly Route[] = [
  route(winnersApi.list, async ({ desk, params: { rainId }, query: { search, cursor, limit } }) => {
    const rain = await desk.ledger.rain(rainId);
    if (!rain) return declined('no_such_rain');
    const packet = search === undefined ? '' : packetPrefix(rainId, search);
    // A user may be called like a packet; he is found first.
    const user = search === undefined || cursor !== undefined ? undefined : await findWinner(desk, rain, search);
    if (user) return { answer: { winners: [user] } };
    if (packet === undefined) return { answer: { winners: [] } };
    const at = cursor === undefined ? await firstPage(desk, rain) : readCursor(cursor, rain.shards);
    if (!at) return declinedFor([{ field: 'cursor', reason: 'expected the `next` of the page before' }], 'bad_request');
    const { winners, next } = await listWinners(desk, rain, at, limit, packet);
    return { answer: { winners, ...(next && { next: writeCursor(next) }) } };
  }),

  route(winnersApi.csv, async ({ desk, params: { rainId }, reply }) => {
    const rain = await desk.ledger.rain(rainId);
    if (!rain) return declined('no_such_rain');
    if (exporting >= EXPORTS_MAX) return declined('too_many');
    exporting++;
    const stream = csv(desk, rain);
    stream.once('close', () => { exporting--; });
    void reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="winners-${rainId}.csv"`).send(stream);
    return 'streamed';
  }),
];

/** Row by row, as fast as it is taken. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function csv(desk: QueueDesk, rain: BookedRain): Readable {
  const rows = Readable.from((async function* () {
    for await (const page of allWinners(desk, rain)) yield* page;
  })());
  const text = stringify({ header: true, bom: true, escape_formulas: true, record_delimiter: 'windows', columns: ['redPacketId', 'userId', 'amount', 'at', 'status'] });
  rows.once('error', (error) => text.destroy(error));
  text.once('close', () => rows.destroy());
  return rows.pipe(text);
}

/** `17`, or a packet's id, or the beginning of one; `undefined`: it is none of this rain's. */
function packetPrefix(rainId: string, search: string): string | undefined {
  if (/^\d{1,9}$/.test(search)) return `${rainId}-${search}`;
  return search.startsWith(`${rainId}-`) ? search : undefined;
}

/** Text that the page hands back as it came. */
function writeCursor(cursor: Cursor): string {
  return cursor.in === 'log' ? `l${cursor.from.join('.')}` : `b${Buffer.from(cursor.afterUserId ?? '').toString('base64url')}`;
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
