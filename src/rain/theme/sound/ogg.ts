import { textAt } from './textAt.ts';

const HEAD_BYTES = 27;

/**
 * @returns whether this is an OGG with Vorbis or Opus whose pages are the whole file. The first page has the header of
 *   the only or first stream, behind a table of one segment.
 */
export function isOgg(bytes: Uint8Array): boolean {
  if (textAt(bytes, 28, 7) !== '\x01vorbis' && textAt(bytes, 28, 8) !== 'OpusHead') return false;
  let at = 0;
  while (at < bytes.length) {
    if (textAt(bytes, at, 5) !== 'OggS\0' || at + HEAD_BYTES > bytes.length) return false;
    const segments = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + bytes[at + 26]!);
    at += HEAD_BYTES + segments.length + segments.reduce((sum, length) => sum + length, 0);
  }
  return at === bytes.length;
}
