/** A server's text frame (RFC 6455, unmasked, unfragmented): built once and sent to any number of sockets. */
export type Frame = Buffer;

const TEXT_AND_LAST = 0x81;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

/** A ping without payload. */
export const PING: Frame = Buffer.from([0x89, 0]);

export function frameOf(text: string): Frame {
  const length = Buffer.byteLength(text);
  const head = length < TWO_BYTES ? 2 : length < 0x1_0000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = TEXT_AND_LAST;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = TWO_BYTES;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = EIGHT_BYTES;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}
