import { SKU } from './constants.ts';
import { clientFrame } from './frames.ts';

export type Heard = 'won' | 'lost' | 'busy' | 'none';

/** The protocol of one design over a WebSocket. */
export interface Dialect {
  path: string;
  head(token: string): string[];
  /** Answers the server's opening frames, until one makes the connection `ready`. `undefined`: nothing to do. */
  greet(text: string, token: string): 'ready' | { say: string } | undefined;
  ask(rainId: string): Buffer;
  hear(chunk: Buffer, start: number, end: number): Heard;
}

export type DialectName = 'rain' | 'ticketed' | 'plain' | 'echo' | 'socketIo' | 'sale';

const CODE = Buffer.from('"code":"');
const RESULT = Buffer.from('{"type":"result"');
const ORDER = Buffer.from('{"type":"order"');

/** `"code":"0"` and `"1"` are wins, `"-7"` is busy, everything else is a loss. */
function verdict(chunk: Buffer, start: number, end: number): Heard {
  const at = chunk.indexOf(CODE, start);
  if (at < 0 || at >= end) return 'none';
  const first = chunk[at + CODE.length];
  if (first !== 0x2d /* - */) return 'won';
  return chunk[at + CODE.length + 1] === 0x37 /* 7 */ ? 'busy' : 'lost';
}

/** An answer counts only if it is of this type: the gateway sends other messages too. */
const typed =
  (type: Buffer) =>
  (chunk: Buffer, start: number, end: number): Heard =>
    chunk.compare(type, 0, type.length, start, Math.min(start + type.length, end)) === 0
      ? verdict(chunk, start, end)
      : 'none';

const ask = (rainId: string) => clientFrame(JSON.stringify({ type: 'grab', rainId }));

const plain: Dialect = {
  path: '/v1',
  head: (token) => [`Authorization: Bearer ${token}`],
  greet: () => 'ready',
  ask,
  hear: verdict,
};

const rain: Dialect = {
  ...plain,
  head: (token) => [...plain.head(token), 'Sec-WebSocket-Protocol: rain.v1'],
  hear: typed(RESULT),
};

const sale: Dialect = {
  ...rain,
  ask: (saleId) => clientFrame(JSON.stringify({ type: 'buy', saleId, sku: SKU })),
  hear: typed(ORDER),
};

export const DIALECTS: Record<DialectName, Dialect> = {
  plain,
  rain,
  ticketed: rain,
  sale,
  echo: { ...plain, hear: () => 'lost' },
  socketIo: {
    path: '/socket.io/?EIO=4&transport=websocket',
    head: () => [],
    // Engine.IO opens (0); Socket.IO requests its namespace (40) and receives the confirmation.
    greet: (text, token) =>
      text.startsWith('0') ? { say: `40${JSON.stringify({ token })}` } : text.startsWith('40') ? 'ready' : undefined,
    ask: (rainId) => clientFrame(`420${JSON.stringify(['grab', { rainId }])}`),
    hear: verdict,
  },
};

const TICKET = Buffer.from('{"type":"ticket"');

/** The frame of a grab with the ticket in this text; `undefined` if the text contains no ticket. */
export function askWithTicket(chunk: Buffer, start: number, end: number): Buffer | undefined {
  if (chunk.compare(TICKET, 0, TICKET.length, start, Math.min(start + TICKET.length, end)) !== 0) return undefined;
  const { rainId, ticket } = JSON.parse(chunk.toString('utf8', start, end)) as { rainId: string; ticket: string };
  return clientFrame(JSON.stringify({ type: 'grab', rainId, ticket }));
}
