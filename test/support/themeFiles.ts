import { crc32 } from 'node:zlib';

/** Headers of pictures, which cannot be unpacked, and containers of sounds, which cannot be heard. */

const text = (value: string): Buffer => Buffer.from(value, 'latin1');
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const uint16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
const little = (value: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntLE(value, 0, length);
  return bytes;
};

export const chunk = (name: string, data: Buffer): Buffer => {
  const named = Buffer.concat([text(name), data]);
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
};

/** @param data bytes of the picture, so that two of one size differ */
export function png(width: number, height: number, { data = Buffer.alloc(8), animated = false } = {}): Buffer {
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([uint32(width), uint32(height), Buffer.from([8, 6, 0, 0, 0])])),
    ...(animated ? [chunk('acTL', Buffer.alloc(8))] : []),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export const segment = (marker: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker]), uint16(data.length + 2), data]);
const frame = (width: number, height: number): Buffer =>
  segment(0xc0, Buffer.concat([Buffer.from([8]), uint16(height), uint16(width), Buffer.from([1, 1, 0x11, 0])]));

/** @param more further frames: decoders differ in which of them they take */
export function jpeg(width: number, height: number, ...more: (readonly [width: number, height: number])[]): Buffer {
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    segment(0xe0, text('JFIF\0')),
    Buffer.from([0xff]),
    segment(0xc4, Buffer.alloc(20)),
    frame(width, height),
    ...more.map(([w, h]) => frame(w, h)),
    segment(0xda, Buffer.alloc(8)),
    Buffer.alloc(16),
    Buffer.from('ffd9', 'hex'),
  ]);
}

const riff = (name: string, data: Buffer): Buffer => {
  const inner = Buffer.concat([text('WEBP'), text(name), little(data.length, 4), data, Buffer.alloc(12)]);
  return Buffer.concat([text('RIFF'), little(inner.length, 4), inner]);
};

export const webp = {
  lossy: (width: number, height: number): Buffer =>
    riff('VP8 ', Buffer.concat([Buffer.from('0000009d012a', 'hex'), little(width, 2), little(height, 2)])),
  lossless: (width: number, height: number): Buffer =>
    riff('VP8L', Buffer.concat([Buffer.from([0x2f]), little((width - 1) | ((height - 1) << 14), 4)])),
  extended: (width: number, height: number, animated = false): Buffer =>
    riff(
      'VP8X',
      Buffer.concat([Buffer.from([animated ? 0x02 : 0]), Buffer.alloc(3), little(width - 1, 3), little(height - 1, 3)]),
    ),
};

/** 128 kbit/s at 44,100 samples a second. */
export const MP3_FRAME = Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(413)]);
const box = (name: string, ...inner: Buffer[]): Buffer =>
  Buffer.concat([uint32(8 + Buffer.concat(inner).length), text(name), ...inner]);
/** @param beside boxes of what is written beside the sound */
const m4a = (handler = 'soun', ...beside: Buffer[]): Buffer =>
  Buffer.concat([
    box('ftyp', text('M4A '), Buffer.alloc(4)),
    box('moov', box('trak', box('mdia', box('hdlr', Buffer.alloc(8), text(handler), Buffer.alloc(13)))), ...beside),
    box('mdat', Buffer.alloc(16, 7)),
  ]);
const page = (data: Buffer): Buffer =>
  Buffer.concat([text('OggS'), Buffer.alloc(22), Buffer.from([1, data.length]), data]);

export const sound = {
  /** As many whole frames as there is room for, and zeros. */
  mp3: (bytes = 4 * MP3_FRAME.length): Buffer => {
    const frames = Math.floor(bytes / MP3_FRAME.length);
    return Buffer.concat([...Array.from({ length: frames }, () => MP3_FRAME), Buffer.alloc(bytes % MP3_FRAME.length)]);
  },
  tagged: (): Buffer =>
    Buffer.concat([
      text('ID3\x04\0\0'),
      Buffer.from([0, 0, 1, 2]),
      Buffer.alloc(0x82, 7),
      Buffer.alloc(3),
      sound.mp3(),
    ]),
  m4a,
  /** As a phone writes where something was recorded. */
  placed: (): Buffer => m4a('soun', box('udta', box('\xa9xyz', text('+31.2304+121.4737/')))),
  vorbis: (): Buffer => Buffer.concat([page(text(`\x01vorbis${'\0'.repeat(8)}`)), page(Buffer.alloc(40, 7))]),
  opus: (): Buffer => Buffer.concat([page(text(`OpusHead${'\0'.repeat(8)}`)), page(Buffer.alloc(40, 7))]),
};
