import { textAt } from './textAt.ts';

const BRAND = /^(M4A |M4B |mp4[12]|iso[m2-6]|dash)$/;
/** Boxes of a file, and those inside of which others stand. */
const AT_THE_TOP = new Set(
  ['ftyp', 'moov', 'mdat', 'moof', 'sidx', 'mfra', 'styp'].concat(['free', 'skip', 'wide', 'udta', 'meta', 'uuid']),
);
const WITH_OTHERS = new Set(['moov', 'trak', 'mdia']);
/** A file, `moov`, `trak`, `mdia` and what is in it. */
const DEPTH_MAX = 4;
/** Names, pictures, places, and what programs put there for themselves: no player needs them. */
const EMPTIED = new Set(['free', 'skip', 'wide', 'udta', 'meta', 'uuid']);

/** `free` */
const FREE = [0x66, 0x72, 0x65, 0x65] as const;

interface Found {
  boxes: string[];
  handlers: string[];
}

/**
 * An M4A without what is written beside its sound. Boxes are emptied where they are: the tables of the sound count bytes
 * from the beginning of the file.
 * @returns `undefined`: its boxes are not the whole file, or it has no sound, or a film
 */
export function emptiedM4a(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (textAt(bytes, 4, 4) !== 'ftyp' || !BRAND.test(textAt(bytes, 8, 4))) return undefined;
  const emptied = new Uint8Array(bytes);
  const found: Found = { boxes: [], handlers: [] };
  const isWhole = walk(emptied, 0, emptied.length, 1, found);
  return isWhole &&
    found.boxes.includes('moov') &&
    found.boxes.includes('mdat') &&
    found.handlers.includes('soun') &&
    !found.handlers.includes('vide')
    ? emptied
    : undefined;
}

/** @returns whether boxes fill these bytes from end to end */
function walk(bytes: Uint8Array, from: number, to: number, depth: number, found: Found): boolean {
  const isTop = depth === 1;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = from;
  while (at < to) {
    if (depth > DEPTH_MAX || at + 8 > to) return false;
    const name = textAt(bytes, at + 4, 4);
    const told = view.getUint32(at);
    if (told === 1 && at + 16 > to) return false;
    // 1: the length is in the next 8 bytes. 0: up to the end of the file.
    const length = told === 1 ? Number(view.getBigUint64(at + 8)) : told === 0 && isTop ? to - at : told;
    const head = told === 1 ? 16 : 8;
    const end = at + length;
    if (length < head || end > to || (isTop && !AT_THE_TOP.has(name))) return false;
    found.boxes.push(name);
    if (EMPTIED.has(name)) {
      bytes.set(FREE, at + 4);
      bytes.fill(0, at + head, end);
    } else if (name === 'hdlr') found.handlers.push(textAt(bytes, at + head + 8, 4));
    else if (WITH_OTHERS.has(name) && !walk(bytes, at + head, end, depth + 1, found)) return false;
    at = end;
  }
  return true;
}
