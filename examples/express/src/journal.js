import { open, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A file of events, one JSON line each, from which the state is made again at every start. What `record` has resolved
 * for is on the disk and survives kill -9 and a power cut. A line that was being written then has no newline; nobody
 * was told of it, and it is cut off. One process at a time may have the file open.
 * @param {string} path
 * @param {(event: object) => void} apply changes the state; called for the events of the file, then for each new one
 */
export async function openJournal(path, apply) {
  const text = await readFile(path).catch((error) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  const whole = text.lastIndexOf('\n') + 1;
  if (whole < text.length) await truncate(path, whole);
  for (const line of text.subarray(0, whole).toString().split('\n').slice(0, -1)) apply(JSON.parse(line));
  const file = await open(path, 'a', 0o600);
  await syncFolder(dirname(path));

  let waiting = [];
  /** The write that will take what waits. */
  let next;
  let last = Promise.resolve();
  async function write() {
    const lines = waiting;
    [waiting, next] = [[], undefined];
    await file.appendFile(lines.join(''));
    await file.datasync();
  }
  /** Resolves when all that was recorded so far is on the disk. */
  const written = () => (waiting.length === 0 ? last : (next ??= last = last.then(write).catch(end)));
  return {
    written,
    /** Applies the event at once, so that the next call sees it, and resolves when it is on the disk. */
    record(event) {
      apply(event);
      waiting.push(`${JSON.stringify(event)}\n`);
      return written();
    },
  };
}

/** Nobody knows what is on the disk now. The next start reads it, and whoever was not answered asks again. */
function end(error) {
  console.error(`the journal cannot be written: ${error.message}`);
  process.exit(1);
}

/** Otherwise a power cut may take the name of a new file. */
async function syncFolder(path) {
  const folder = await open(path);
  await folder.sync();
  await folder.close();
}
