/** Headers of pictures and sounds, as small as they come: nothing unpacks them. */

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

const chunk = (name: string, data: Buffer): Buffer => Buffer.concat([uint32(data.length), text(name), data, uint32(0)]);

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

const segment = (marker: number, data: Buffer): Buffer =>
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

const MP3_FRAME = Buffer.from('fffb9064', 'hex');
export const sound = {
  mp3: (bytes = 64): Buffer => Buffer.concat([MP3_FRAME, Buffer.alloc(bytes - MP3_FRAME.length)]),
  tagged: (): Buffer =>
    Buffer.concat([text('ID3\x04\0\0'), Buffer.from([0, 0, 1, 2]), Buffer.alloc(0x82, 7), Buffer.alloc(3), MP3_FRAME]),
  m4a: (): Buffer => Buffer.concat([uint32(24), text('ftypM4A '), Buffer.alloc(12)]),
  vorbis: (): Buffer => Buffer.concat([text('OggS'), Buffer.alloc(24), text('\x01vorbis'), Buffer.alloc(8)]),
  opus: (): Buffer => Buffer.concat([text('OggS'), Buffer.alloc(24), text('OpusHead'), Buffer.alloc(8)]),
};
