import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { lockHolder } from './homeLock.ts';

/** The data with which `rain list` in another terminal reaches the system of a home. Contains secrets: mode 0600. */
const runningSystem = z.object({
  pid: z.int().positive(),
  /** Epoch ms. */
  startedAt: z.number(),
  redisUrl: z.string(),
  databaseUrl: z.string(),
  jwtSecret: z.string(),
  signingSecret: z.string(),
  gatewayUrl: z.string(),
  /** The player's page. */
  consoleUrl: z.string(),
  demo: z.boolean(),
});
export type RunningSystem = z.infer<typeof runningSystem>;

const FILE = 'run.json';

/** Written atomically, so that no reader sees half a file. */
export function writeRunning(home: string, value: RunningSystem): void {
  const draft = join(home, `${FILE}.draft`);
  writeFileSync(draft, `${JSON.stringify(runningSystem.parse(value), null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, join(home, FILE));
}

/** The system that runs in this home now; `undefined` when there is none, or the system in the file has ended. */
export function readRunning(home: string): RunningSystem | undefined {
  try {
    const value = runningSystem.parse(JSON.parse(readFileSync(join(home, FILE), 'utf8')));
    return lockHolder(home)?.pid === value.pid ? value : undefined;
  } catch {
    return undefined;
  }
}

export const removeRunning = (home: string): void => rmSync(join(home, FILE), { force: true });
