import { textAt } from './textAt.ts';

/** Kilobits a second by the index in the header of a frame of layer III; 0 and 15 are none. */
const RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;
const RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const;
/** Samples a second of version 1; of version 2 they are half as many, of version 2.5 a quarter. */
const SAMPLES = [44_100, 48_000, 32_000] as const;
/** A sync word stands in many files by chance: so many frames in a row do not. */
const FRAMES_MIN = 3;

/**
 * The frames of an MP3 alone: tags before, between and behind them, with pictures and places, are left out.
 * @returns `undefined`: at its beginning, behind tags, there are no frames, or most of the file is none
 */
export function framesOfMp3(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const kept: Uint8Array[] = [];
  let [at, length] = [endOfTag(bytes), 0];
  if (runFrom(bytes, at) === 0) return undefined;
  while (at < bytes.length) {
    const run = runFrom(bytes, at);
    if (run === 0) {
      at = endOfTag(bytes, at + 1);
      continue;
    }
    kept.push(bytes.subarray(at, at + run));
    at += run;
    length += run;
  }
  if (length * 2 <= bytes.length - endOfTag(bytes)) return undefined;
  const frames = new Uint8Array(length);
  let to = 0;
  for (const run of kept) {
    frames.set(run, to);
    to += run.length;
  }
  return frames;
}

/** @returns bytes of frames in a row, or 0 if they are too few */
function runFrom(bytes: Uint8Array, from: number): number {
  let at = from;
  let frames = 0;
  for (let length = frameAt(bytes, at); length > 0 && at + length <= bytes.length; length = frameAt(bytes, at)) {
    at += length;
    frames += 1;
  }
  return frames < FRAMES_MIN ? 0 : at - from;
}

/** @returns bytes of the frame of layer III that begins here, or 0 */
function frameAt(bytes: Uint8Array, at: number): number {
  const [first, second = 0, third = 0xff] = bytes.subarray(at, at + 3);
  const version = (second >> 3) & 3;
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || version === 1 || (second & 0x06) !== 0x02) return 0;
  const rate = (version === 3 ? RATES_1 : RATES_2)[third >> 4];
  const samples = SAMPLES[(third >> 2) & 3];
  if (!rate || samples === undefined) return 0;
  const bytesPerSecond = (rate * 1_000) / 8;
  const [samplesOfFrame, samplesPerSecond] =
    version === 3 ? [1_152, samples] : [576, samples / (version === 2 ? 2 : 4)];
  return Math.floor((samplesOfFrame * bytesPerSecond) / samplesPerSecond) + ((third >> 1) & 1);
}

/** Behind a tag of ID3v2, whose length is in seven bits of each byte, and zeros after it; there is none: here. */
function endOfTag(bytes: Uint8Array, at = 0): number {
  if (bytes[at] !== 0x49 || textAt(bytes, at, 3) !== 'ID3') return at;
  const size = bytes.subarray(at + 6, at + 10);
  if (size.length < 4 || size.some((byte) => byte > 0x7f)) return at;
  let end = at + 10 + size.reduce((sum, byte) => sum * 0x80 + byte, 0);
  while (bytes[end] === 0) end += 1;
  return end;
}
