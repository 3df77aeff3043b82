/** Bytes of a file, both included. */
interface ByteRange {
  first: number;
  last: number;
}

/**
 * The one range that a request asks for (RFC 9110, 14.1.2): Safari plays sound only from a server that answers it.
 * @param length size of the whole, at least 1 byte
 * @returns `whole` if the header is absent, is none that we know, or names several ranges: each may be ignored
 */
export function byteRangeIn(header: string | undefined, length: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '') {
    if (to === '') return 'whole';
    return Number(to) === 0 ? 'unsatisfiable' : { first: Math.max(0, length - Number(to)), last: length - 1 };
  }
  const first = Number(from);
  if (first >= length) return 'unsatisfiable';
  const last = to === '' ? length - 1 : Math.min(length - 1, Number(to));
  return last < first ? 'whole' : { first, last };
}
