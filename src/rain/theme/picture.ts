/** The facts in the header of a picture. */
export interface Picture {
  type: 'image/png' | 'image/jpeg' | 'image/webp';
  /** Pixels, as they would be unpacked. */
  width: number;
  height: number;
  isAnimated: boolean;
}

/**
 * Reads the header; nothing is unpacked.
 * @returns `undefined` if this is no whole picture of these types, or has no size that can be read
 */
export function pictureIn(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return pngIn(view) ?? jpegIn(view) ?? webpIn(view);
  } catch (error) {
    // It ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const PNG = [0x89504e47, 0x0d0a1a0a] as const;

/** Chunk by chunk up to its end, which is the end of the file: nothing else is hidden behind the picture. */
function pngIn(view: DataView): Picture | undefined {
  if (
    view.byteLength < 33 ||
    view.getUint32(0) !== PNG[0] ||
    view.getUint32(4) !== PNG[1] ||
    nameAt(view, 12) !== 'IHDR'
  )
    return undefined;
  let isAnimated = false;
  for (let at = 8; ;) {
    const [length, name] = [view.getUint32(at), nameAt(view, at + 4)];
    at += length + 12;
    if (name === 'acTL') isAnimated = true;
    if (name === 'IEND')
      return at === view.byteLength
        ? { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20), isAnimated }
        : undefined;
  }
}

/** Segment by segment up to the first scan. The largest frame counts, in case there are several. */
function jpegIn(view: DataView): Picture | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8 || view.getUint8(2) !== 0xff) return undefined;
  let [width, height] = [0, 0];
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // A marker may be preceded by any number of fill bytes.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xda)
      return width > 0 && height > 0 && hasEnd(view, at)
        ? { type: 'image/jpeg', width, height, isAnimated: false }
        : undefined;
    const length = view.getUint16(at + 2);
    if (length < 2) return undefined;
    if (isFrame(marker))
      [height, width] = [Math.max(height, view.getUint16(at + 5)), Math.max(width, view.getUint16(at + 7))];
    at += 2 + length;
  }
}

/** Whether its end follows: phones write further pictures and films behind it. */
function hasEnd(view: DataView, from: number): boolean {
  for (let at = from; at + 1 < view.byteLength; at += 1) if (view.getUint16(at) === 0xffd9) return true;
  return false;
}

/** Start of a frame, SOF0 to SOF15, without the tables (DHT, JPG, DAC) that lie between. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

const ANIMATION = 0x02;

function webpIn(view: DataView): Picture | undefined {
  if (
    view.byteLength < 30 ||
    nameAt(view, 0) !== 'RIFF' ||
    nameAt(view, 8) !== 'WEBP' ||
    view.getUint32(4, true) + 8 !== view.byteLength
  )
    return undefined;
  const type = 'image/webp';
  switch (nameAt(view, 12)) {
    case 'VP8 ':
      return view.getUint8(23) === 0x9d && view.getUint16(24) === 0x012a
        ? {
            type,
            width: view.getUint16(26, true) & 0x3fff,
            height: view.getUint16(28, true) & 0x3fff,
            isAnimated: false,
          }
        : undefined;
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return view.getUint8(20) === 0x2f
        ? { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, isAnimated: false }
        : undefined;
    }
    case 'VP8X':
      return {
        type,
        width: uint24(view, 24) + 1,
        height: uint24(view, 27) + 1,
        isAnimated: (view.getUint8(20) & ANIMATION) !== 0,
      };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function nameAt(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
}
