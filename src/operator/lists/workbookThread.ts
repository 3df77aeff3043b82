import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { compiledEntry } from '../../platform/process/childProcess.ts';
import type { ReadWorkbook } from './workbook.ts';

/** 20,000 rows of ten columns take some two seconds. */
const READ_WITHIN_MS = 30_000;
/** Twelve times what such a list unpacks to [R10]. */
const UNPACKED_BYTES_MAX = 128 * 1_024 * 1_024;
const HEAP_MIB_MAX = 512;

/** One thread at a time: it takes one core at most, and the memory of one workbook [R10]. */
const inTurn = createSemaphore(1);

/** Reads an .xlsx in a thread of its own: this process serves others meanwhile. @returns `undefined`: it cannot be read */
export async function readWorkbookAside(bytes: Buffer): Promise<ReadWorkbook | undefined> {
  const unpacked = unpackedBytes(bytes);
  if (unpacked === undefined || unpacked > UNPACKED_BYTES_MAX) return undefined;
  return inTurn(async () => {
    const thread = new Worker(compiledEntry('operator/lists/workbookWorker.js'), {
      workerData: new Uint8Array(bytes),
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX },
    });
    try {
      const [read] = (await once(thread, 'message', { signal: AbortSignal.timeout(READ_WITHIN_MS) })) as [ReadWorkbook];
      return read;
    } catch {
      return undefined;
    } finally {
      await thread.terminate();
    }
  });
}

const END_OF_DIRECTORY = 0x06054b50;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const COMMENT_BYTES_MAX = 0xffff;
/** 64-bit archives put this in place of a size. */
const ELSEWHERE = 0xffffffff;

/**
 * How much a ZIP unpacks to by its directory; its reader unpacks no entry to more than that.
 * @returns `undefined`: it is no archive that a spreadsheet writes
 */
export function unpackedBytes(bytes: Buffer): number | undefined {
  const first = Math.max(0, bytes.length - 22 - COMMENT_BYTES_MAX);
  let end = bytes.length - 22;
  while (end >= first && bytes.readUInt32LE(end) !== END_OF_DIRECTORY) end--;
  if (end < first) return undefined;
  let at = bytes.readUInt32LE(end + 16);
  let total = 0;
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (at + ENTRY_BYTES > bytes.length || bytes.readUInt32LE(at) !== ENTRY) return undefined;
    const [packed, unpacked] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    // Without a size its reader would unpack without a bound.
    if (unpacked === ELSEWHERE || (unpacked === 0 && packed > 2)) return undefined;
    total += unpacked;
    at += ENTRY_BYTES + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return total;
}
