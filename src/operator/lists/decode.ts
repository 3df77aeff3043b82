/** The encoding of a list, as people know it. */
export type Encoding = 'UTF-8' | 'UTF-16' | 'GB18030' | 'Big5';

const LINE_FEED = 0x0a;

/**
 * The text of a list, if there is no doubt about its encoding. UTF-8 and UTF-16 show themselves. Another text is
 * Chinese of one encoding only if its header has known names under it, or if all of it is GB 2312, which other
 * encodings hit by chance in a few characters at most.
 * @param knows whether a header line has Chinese names of columns
 * @returns without byte order mark; or the first line that is not UTF-8
 */
export function decodeList(
  bytes: Buffer,
  knows: (header: string) => boolean,
): { encoding: Encoding; text: string } | { line: number } {
  const wide = utf16Of(bytes);
  if (wide) {
    const text = decoded(wide, bytes);
    return text === undefined ? { line: 1 } : { encoding: 'UTF-16', text };
  }
  const plain = bytes.includes(0) ? undefined : decoded('utf-8', bytes);
  if (plain !== undefined) return { encoding: 'UTF-8', text: plain };
  const read = (['GB18030', 'Big5'] as const).flatMap((encoding) => {
    const text = bytes.includes(0) ? undefined : decoded(encoding, bytes);
    return text === undefined || UNASSIGNED.test(text) ? [] : [{ encoding, text }];
  });
  const sure = read.filter(({ text }) => knows(text.slice(0, 4_096).trimStart()));
  const [one] = sure.length > 0 ? sure : isGb2312(bytes) ? read : [];
  return one && sure.length < 2 ? one : { line: lineNotUtf8(bytes) };
}

/** Bytes that an encoding has no character for. */
const UNASSIGNED = /[\p{Co}\p{Cn}\u0080-\u009f]/u;

function decoded(label: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** By its byte order mark, or by the zeros that are half of the Latin letters. */
function utf16Of(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined;
}

/** Pairs of bytes of level 1 and 2, or punctuation. */
function isGb2312(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at]!;
    if (lead < 0x80) continue;
    const trail = bytes[++at] ?? 0;
    if (!((lead >= 0xb0 && lead <= 0xf7) || (lead >= 0xa1 && lead <= 0xa3)) || trail < 0xa1 || trail === 0xff)
      return false;
  }
  return true;
}

function lineNotUtf8(bytes: Buffer): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let line = 1, start = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    const part = bytes.subarray(start, end);
    try {
      if (part.includes(0)) return line;
      decoder.decode(part);
    } catch {
      return line;
    }
    start = end;
  }
  return 1;
}
