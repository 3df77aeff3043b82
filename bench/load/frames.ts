import { randomBytes } from 'node:crypto';

/** The opcodes of RFC 6455 that a client receives. */
export const TEXT = 0x1;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

/** A client's frame, masked as the protocol requires; it can be written any number of times. */
export function clientFrame(payload: string | Buffer, opcode: number = TEXT): Buffer {
  const body = Buffer.from(payload);
  if (body.length > 65_535) throw new RangeError('a load driver sends small frames');
  const long = body.length > 125;
  const mask = randomBytes(4);
  const frame = Buffer.alloc((long ? 8 : 6) + body.length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (long ? 126 : body.length);
  if (long) frame.writeUInt16BE(body.length, 2);
  const start = frame.length - body.length;
  mask.copy(frame, start - 4);
  for (let i = 0; i < body.length; i++) frame[start + i] = body[i]! ^ mask[i % 4]!;
  return frame;
}

type OnFrame = (opcode: number, chunk: Buffer, start: number, end: number) => void;

/** Splits the data of a server into frames; copies only incomplete frames. */
export function frameReader(onFrame: OnFrame): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (incoming) => {
    const chunk = rest ? Buffer.concat([rest, incoming]) : incoming;
    rest = undefined;
    let at = 0;
    while (at < chunk.length) {
      const start = at + headLength(chunk, at);
      const end = start + payloadLength(chunk, at);
      // NaN while the head is incomplete.
      if (!(end <= chunk.length)) break;
      onFrame(chunk[at]! & 0x0f, chunk, start, end);
      at = end;
    }
    if (at < chunk.length) rest = chunk.subarray(at);
  };
}

function headLength(chunk: Buffer, at: number): number {
  const short = chunk[at + 1]! & 0x7f;
  return short < 126 ? 2 : short === 126 ? 4 : 10;
}

function payloadLength(chunk: Buffer, at: number): number {
  if (at + 2 > chunk.length) return NaN;
  const short = chunk[at + 1]! & 0x7f;
  if (short < 126) return short;
  if (short === 126) return at + 4 > chunk.length ? NaN : chunk.readUInt16BE(at + 2);
  return at + 10 > chunk.length ? NaN : Number(chunk.readBigUInt64BE(at + 2));
}
