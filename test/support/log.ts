import { pino } from 'pino';
import type { Logger } from '../../src/platform/telemetry/log.ts';

export interface HeardLine {
  level: 'info' | 'warn' | 'error';
  msg: string;
  [field: string]: unknown;
}

/** A log that a test reads, from `info` upwards. */
export function listeningLog(): { log: Logger; heard: HeardLine[] } {
  const heard: HeardLine[] = [];
  const log = pino(
    { level: 'info', base: null, timestamp: false, formatters: { level: (level) => ({ level }) } },
    {
      write: (line: string) => {
        heard.push(JSON.parse(line) as HeardLine);
      },
    },
  );
  return { log, heard };
}
