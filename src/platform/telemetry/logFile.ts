import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LOG_FILE_BYTES_MAX = 10 * 1024 * 1024;
const TAIL_BYTES = 4_096;

/**
 * Opens `<folder>/<name>.log`; a file above the limit is moved to `<name>.log.1`, so that restarts do not fill the disk
 * [R10].
 */
export function openLogFile(folder: string, name: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${name}.log`);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_FILE_BYTES_MAX) renameSync(path, `${path}.1`);
  const descriptor = openSync(path, 'a', 0o600);
  const startsAt = fstatSync(descriptor).size;
  return {
    /** Open for appending, for the child process; the caller closes it. */
    descriptor,
    /**
     * The last line since the opening, as the end of a message: `: <line> (more in <path>)`. Empty when there is none.
     */
    lastLine(): string {
      const reader = openSync(path, 'r');
      try {
        const from = Math.max(startsAt, fstatSync(reader).size - TAIL_BYTES);
        const buffer = Buffer.alloc(TAIL_BYTES);
        const text = buffer.toString('utf8', 0, readSync(reader, buffer, 0, TAIL_BYTES, from));
        const line = text.trimEnd().split('\n').at(-1) ?? '';
        return line ? `: ${readable(line).slice(0, 300)} (more in ${path})` : '';
      } finally {
        closeSync(reader);
      }
    },
  };
}

/** A line of our log as a sentence; another program's line as it is. */
export function readable(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { msg, error, err } = JSON.parse(line) as { msg?: string; error?: string; err?: { message?: string } };
    return [msg, error ?? err?.message].filter(Boolean).join(': ') || line;
  } catch {
    return line;
  }
}
