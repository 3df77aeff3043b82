import { chmodSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { compiledEntry, startChild, type ChildOptions } from '../process/childProcess.ts';
import type { Home } from '../process/home.ts';
import type { StartedServer } from './redis.ts';

/** Clients look for this file in a folder that is given as their host. */
const SOCKET_FILE = '.s.PGSQL.5432';
/** The longest path of a socket, bytes: 103 on macOS, 107 on Linux. */
const SOCKET_PATH_BYTES_MAX = 103;

/**
 * Starts PGlite behind PostgreSQL's wire protocol; the caller migrates the schema. PGlite asks for no password, so it
 * listens on a Unix socket in a folder that only our user may enter: every user of the machine could connect to a port.
 */
export async function startEmbeddedDatabase({
  home,
  lock,
  onWaiting,
}: Pick<ChildOptions<unknown>, 'lock' | 'onWaiting'> & { home: Home }): Promise<StartedServer> {
  if (!existsSync(home.postgres)) {
    const made = await startChild({
      name: 'database',
      entry: compiledEntry('platform/embedded/databaseInit.js'),
      args: [home.postgres],
      logs: home.logs,
      lock,
      facts: z.object({}),
      ...(onWaiting && { onWaiting }),
    });
    if (!made.ok) return made;
    await made.child.ended;
  }
  // PGlite lets everybody write to its files, so the folder is closed whether it is new or not.
  chmodSync(home.postgres, 0o700);
  const folder = socketFolder(home);
  const started = await startChild({
    name: 'database',
    entry: compiledEntry('platform/embedded/databaseServer.js'),
    args: [home.postgres, join(folder, SOCKET_FILE)],
    logs: home.logs,
    lock,
    facts: z.object({}),
    ...(onWaiting && { onWaiting }),
  });
  if (!started.ok) return started;
  const { pid, ended, stop } = started.child;
  return { ok: true, server: { url: `postgres://postgres@${encodeURIComponent(folder)}/postgres`, pid, ended, stop } };
}

/** In the home, or among the temporary files where the path of the home is too long for a socket. */
function socketFolder({ sockets }: Home): string {
  if (Buffer.byteLength(join(sockets, SOCKET_FILE)) > SOCKET_PATH_BYTES_MAX)
    return mkdtempSync(join(tmpdir(), 'rain-database-'));
  mkdirSync(sockets, { recursive: true, mode: 0o700 });
  chmodSync(sockets, 0o700);
  return sockets;
}
