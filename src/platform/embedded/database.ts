import { existsSync } from 'node:fs';
import { z } from 'zod';
import { compiledEntry, startChild } from '../process/childProcess.ts';
import type { Home } from '../process/home.ts';
import type { HomeLock } from '../process/homeLock.ts';
import type { StartedServer } from './redis.ts';

/** A new folder takes 2–6 s on a fast machine; a shared machine can be ten times slower. */
const INIT_MS_MAX = 120_000;
const OPEN_MS_MAX = 60_000;

/** Starts PGlite behind PostgreSQL's wire protocol on 127.0.0.1, without a password; the caller migrates the schema. */
export async function startEmbeddedDatabase({ home, lock }: { home: Home; lock?: HomeLock }): Promise<StartedServer> {
  if (!existsSync(home.postgres)) {
    const made = await startChild({
      name: 'database', entry: compiledEntry('platform/embedded/databaseInit.js'), args: [home.postgres], logs: home.logs, lock,
      facts: z.object({}), readyWithinMs: INIT_MS_MAX,
    });
    if (!made.ok) return made;
    await made.child.ended;
  }
  const started = await startChild({
    name: 'database', entry: compiledEntry('platform/embedded/databaseServer.js'), args: [home.postgres], logs: home.logs, lock,
    facts: z.object({ port: z.int() }), readyWithinMs: OPEN_MS_MAX,
  });
  if (!started.ok) return started;
  const { facts, pid, ended, stop } = started.child;
  return { ok: true, server: { url: `postgres://postgres@127.0.0.1:${facts.port}/postgres`, port: facts.port, pid, ended, stop } };
}
