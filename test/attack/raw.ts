import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { GATEWAY_PATH, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { eventually } from '../support/eventually.ts';

/** A TCP connection that sends any bytes. */
export interface Raw {
  readonly socket: Socket;
  write(bytes: string | Buffer): void;
  /** Everything that has come, as latin1. */
  received(): string;
  bytes(): Buffer;
  /** Until what has come matches. @throws after `timeoutMs` */
  until(pattern: RegExp, timeoutMs?: number): Promise<string>;
  isClosed(): boolean;
  /** Resolves with the ms since it was opened. @throws after `timeoutMs` */
  closed(timeoutMs?: number): Promise<number>;
  end(): void;
}

export async function openRaw(port: number, from = '127.0.0.1'): Promise<Raw> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
  const since = performance.now();
  const chunks: Buffer[] = [];
  let closedAfterMs: number | undefined;
  socket.on('error', () => {});
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('close', () => {
    closedAfterMs = performance.now() - since;
  });
  await once(socket, 'connect');
  const bytes = () => Buffer.concat(chunks);
  const received = () => bytes().toString('latin1');
  return {
    socket,
    bytes,
    received,
    write: (sent) => {
      if (!socket.destroyed) socket.write(sent);
    },
    until: (pattern, timeoutMs = 10_000) =>
      eventually(
        () => {
          if (!pattern.test(received()))
            throw new Error(`no ${pattern} came, but ${JSON.stringify(received().slice(0, 300))}`);
          return received();
        },
        { timeoutMs },
      ),
    isClosed: () => closedAfterMs !== undefined,
    closed: (timeoutMs = 10_000) =>
      eventually(
        () => {
          if (closedAfterMs === undefined) throw new Error(`not closed after ${timeoutMs} ms`);
          return closedAfterMs;
        },
        { timeoutMs },
      ),
    end: () => {
      socket.destroy();
    },
  };
}

/**
 * Sends the bytes and waits until the server closes, or for `quietMs` after the last thing that came.
 * @returns the received bytes
 */
export async function exchange(
  port: number,
  sent: string | Buffer,
  { from = '127.0.0.1', quietMs = 400 }: { from?: string; quietMs?: number } = {},
): Promise<string> {
  const raw = await openRaw(port, from);
  try {
    raw.write(sent);
    let [length, since] = [0, performance.now()];
    await eventually(() => {
      if (raw.bytes().length !== length) [length, since] = [raw.bytes().length, performance.now()];
      return raw.isClosed() || performance.now() - since > (length === 0 ? 5 : 1) * quietMs;
    });
    return raw.received();
  } finally {
    raw.end();
  }
}

/** The status lines in what came, such as `400`, `200 200`, or `` for nothing. */
export const statuses = (received: string): string =>
  Array.from(received.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => status).join(' ');

interface FrameShape {
  opcode?: number;
  fin?: boolean;
  /** The three reserved bits. */
  rsv?: number;
  masked?: boolean;
  /** The length that the head names, where it lies. */
  length?: number;
}

/** One WebSocket frame of a client, or what pretends to be one. */
export function frame(
  payload: string | Buffer,
  { opcode = 1, fin = true, rsv = 0, masked = true, length }: FrameShape = {},
): Buffer {
  const body = Buffer.from(payload);
  const size = length ?? body.length;
  const head = [(fin ? 0x80 : 0) | (rsv << 4) | opcode];
  const mask = masked ? 0x80 : 0;
  if (size < 126) head.push(mask | size);
  else if (size < 65_536) head.push(mask | 126, size >> 8, size & 255);
  else {
    const long = Buffer.alloc(8);
    long.writeBigUInt64BE(BigInt(size));
    head.push(mask | 127, ...long);
  }
  if (!masked) return Buffer.concat([Buffer.from(head), body]);
  const key = randomBytes(4);
  return Buffer.concat([Buffer.from(head), key, body.map((byte, i) => byte ^ key[i % 4]!)]);
}

interface HeardFrame {
  opcode: number;
  text: string;
  closeCode?: number;
}

/** The frames of the server in these bytes; an unfinished one is left out. */
function framesOf(bytes: Buffer): HeardFrame[] {
  const heard: HeardFrame[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const [opcode, short] = [bytes[at]! & 15, bytes[at + 1]! & 127];
    const headBytes = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (at + headBytes > bytes.length) break;
    const size =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    const body = bytes.subarray(at + headBytes, at + headBytes + size);
    if (body.length < size) break;
    heard.push({
      opcode,
      text: body.toString(),
      ...(opcode === 8 && body.length >= 2 && { closeCode: body.readUInt16BE(0) }),
    });
    at += headBytes + size;
  }
  return heard;
}

export interface RawFrames extends Raw {
  frames(): HeardFrame[];
}

/** The head of an honest upgrade; further lines may be added. */
export const upgradeHead = (token: string, lines: readonly string[] = []): string =>
  [
    `GET ${GATEWAY_PATH} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Sec-WebSocket-Protocol: ${SUBPROTOCOL}`,
    `Authorization: Bearer ${token}`,
    ...lines,
    '',
    '',
  ].join('\r\n');

/** A WebSocket whose frames are written by hand. @throws when the upgrade is refused */
export async function openFrames(
  port: number,
  token: string,
  from?: string,
  lines?: readonly string[],
): Promise<RawFrames> {
  const raw = await openRaw(port, from);
  raw.write(upgradeHead(token, lines));
  const answer = await raw.until(/\r\n\r\n/);
  if (!answer.startsWith('HTTP/1.1 101')) throw new Error(`the upgrade was refused: ${answer.split('\r\n')[0]}`);
  const headBytes = answer.indexOf('\r\n\r\n') + 4;
  return { ...raw, frames: () => framesOf(raw.bytes().subarray(headBytes)) };
}

/** The answer to an upgrade: 101, or the status of its refusal. */
export async function upgradeStatus(
  port: number,
  token: string,
  { from, lines, head = upgradeHead(token, lines) }: { from?: string; lines?: readonly string[]; head?: string } = {},
): Promise<number> {
  const raw = await openRaw(port, from);
  try {
    raw.write(head);
    return Number(statuses(await raw.until(/\r\n\r\n/)).split(' ')[0]);
  } finally {
    raw.end();
  }
}
