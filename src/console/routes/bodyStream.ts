import { setImmediate as nextTurn } from 'node:timers/promises';
import { Readable } from 'node:stream';

/** Read in one turn of the loop, in some milliseconds; then others have theirs [R10]. */
const SLICE_BYTES = 16 * 1_024;

/**
 * A body as a stream. The next slice is not made before the last one is read: many at hand would be read in one turn.
 */
export function streamOf(body: Buffer): Readable {
  return Readable.from(slicesOf(body), { highWaterMark: 1 });
}

async function* slicesOf(body: Buffer): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    yield body.subarray(at, at + SLICE_BYTES);
    await nextTurn();
  }
}
