/** @returns `undefined` if the first bytes are not those of an MP3, an M4A or an OGG with Vorbis or Opus */
export function soundIn(bytes: Uint8Array): 'audio/mpeg' | 'audio/mp4' | 'audio/ogg' | undefined {
  if (isMp3(bytes)) return 'audio/mpeg';
  if (textAt(bytes, 4, 4) === 'ftyp' && /^(M4A |M4B |mp4[12]|iso[m2-6])$/.test(textAt(bytes, 8, 4))) return 'audio/mp4';
  // The first page holds the header of the only or first stream, behind a table of one segment.
  if (textAt(bytes, 0, 4) === 'OggS' && (textAt(bytes, 28, 7) === '\x01vorbis' || textAt(bytes, 28, 8) === 'OpusHead'))
    return 'audio/ogg';
  return undefined;
}

/** A frame of layer III, first or behind a tag of ID3v2, whose length is in seven bits of each byte. */
function isMp3(bytes: Uint8Array): boolean {
  if (textAt(bytes, 0, 3) !== 'ID3') return isFrame(bytes, 0);
  const size = bytes.subarray(6, 10);
  if (size.length < 4 || size.some((byte) => byte > 0x7f)) return false;
  let at = 10 + size.reduce((sum, byte) => sum * 0x80 + byte, 0);
  // Some programs leave zeros behind the tag.
  while (bytes[at] === 0) at += 1;
  return isFrame(bytes, at);
}

/** The sync word, a known version, layer III, and neither a bit rate nor a sampling rate that is forbidden. */
function isFrame(bytes: Uint8Array, at: number): boolean {
  const [first, second = 0, third = 0xff] = bytes.subarray(at, at + 3);
  return (
    first === 0xff &&
    (second & 0xe0) === 0xe0 &&
    (second & 0x18) !== 0x08 &&
    (second & 0x06) === 0x02 &&
    (third & 0xf0) !== 0xf0 &&
    (third & 0x0c) !== 0x0c
  );
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
