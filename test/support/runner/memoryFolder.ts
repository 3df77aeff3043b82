import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps what lies here in memory. */
const MEMORY = '/dev/shm';
/** More than the servers of a whole run need. A container often has 64 MB of it, which a test would fill. */
const FREE_BYTES_MIN = 4 * 2 ** 30;

/**
 * A new folder for what a server syncs at every write: in memory, where there is room. A disk that is busy, or slow,
 * would decide how long a test takes; what is synced is the same, and outlives the server's process as it does on a
 * disk.
 */
export function memoryFolder(prefix: string): string {
  return mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), prefix));
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= FREE_BYTES_MIN;
  } catch {
    return false;
  }
}
