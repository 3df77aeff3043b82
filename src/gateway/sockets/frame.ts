/** A server's text frame (RFC 6455, unmasked, unfragmented): built once and sent to any number of sockets. */
export type Frame = Buffer;

const TEXT_AND_LAST = 0x81;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

/** A ping without payload. */
export const PING: Frame = Buffer.from([0x89, 0]);

export function frameOf(text: string): Frame {
  const length = Buffer.byteLength(text);
  const frame = headed(length);
  frame.write(text, frame.length - length);
  return frame;
}

/** The same at a third of the cost, for a text of ASCII only. */
export function asciiFrameOf(text: string): Frame {
  const frame = headed(text.length);
  frame.write(text, frame.length - text.length, 'latin1');
  return frame;
}

/** The frame of a text whose end is kept as bytes. */
export function frameEndingWith(start: string, end: Buffer): Frame {
  const length = Buffer.byteLength(start) + end.length;
  const frame = headed(length);
  frame.write(start, frame.length - length);
  end.copy(frame, frame.length - end.length);
  return frame;
}

/** With room for a payload of so many bytes. */
function headed(length: number): Frame {
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
  return frame;
}
