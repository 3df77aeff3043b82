import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { compiledEntry, describeEnd, startChild, type ChildEnd } from '../process/childProcess.ts';
import type { Home } from '../process/home.ts';
import type { HomeLock } from '../process/homeLock.ts';
import { createPatience } from '../process/starting.ts';
import { connectRedis, untilReady } from '../redis/connect.ts';
import { freePort, isPortFree } from './freePort.ts';

export interface EmbeddedServer {
  url: string;
  /** The server itself, not its guard process. */
  pid: number;
  ended: Promise<ChildEnd>;
  stop(): Promise<void>;
}

export interface EmbeddedRedis extends EmbeddedServer {
  port: number;
}

export type StartedServer<Server = EmbeddedServer> = { ok: true; server: Server } | { ok: false; reason: string };

interface EmbeddedRedisOptions {
  home: Home;
  lock?: HomeLock;
  password: string;
  /** Default: a free port. */
  port?: number;
  /** Syncs once a second instead of before every reply. */
  relaxed?: boolean;
  /** Receives every few seconds why it is not ready: it may have a big append-only file to read. */
  onWaiting?: ((why: string) => void) | undefined;
  /** Further lines of redis.conf. */
  settings?: readonly string[];
}

/**
 * Starts redis-server (or valkey-server) on 127.0.0.1. Every write is synced before its reply [R4] unless `relaxed`.
 */
export async function startEmbeddedRedis(options: EmbeddedRedisOptions): Promise<StartedServer<EmbeddedRedis>> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const started = await startOn(port, options);
    if (started.ok || (await isPortFree(port))) return started;
    // Another process may have taken the port meanwhile: then another port is tried.
    const last = options.port !== undefined || attempt === 3;
    if (last) return { ok: false, reason: `the embedded Redis did not start: port ${port} of 127.0.0.1 is in use` };
  }
}

async function startOn(
  port: number,
  { home, password, lock, relaxed = false, settings = [], onWaiting = () => {} }: EmbeddedRedisOptions,
): Promise<StartedServer<EmbeddedRedis>> {
  mkdirSync(home.redis, { recursive: true, mode: 0o700 });
  const configFile = join(home.folder, 'redis.conf');
  writeFileSync(
    configFile,
    `${redisConfig(port, home.redis, password, relaxed)}${settings.map((line) => `${line}\n`).join('')}`,
    { mode: 0o600 },
  );
  const started = await startChild({
    name: 'redis',
    entry: compiledEntry('platform/embedded/redisGuard.js'),
    args: [configFile],
    logs: home.logs,
    lock,
    facts: z.object({ serverPid: z.int().positive() }),
    onWaiting,
  });
  if (!started.ok) return started;
  const { child } = started;
  lock?.adopt(child.facts.serverPid);
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const client = connectRedis(url, { purpose: 'once', onError: () => {} });
  try {
    await Promise.race([
      createPatience(onWaiting)(() => untilReady(client)),
      child.ended.then((end) => {
        throw new Error(`it ended with ${describeEnd(end)}${child.lastLine()}`);
      }),
    ]);
  } catch (error) {
    await child.stop();
    return { ok: false, reason: `the embedded Redis did not start: ${(error as Error).message}` };
  } finally {
    client.disconnect();
  }
  return { ok: true, server: { url, port, pid: child.facts.serverPid, ended: child.ended, stop: child.stop } };
}

function redisConfig(port: number, folder: string, password: string, relaxed: boolean): string {
  return `# Written at every start; changes here are lost.
bind 127.0.0.1
port ${port}
requirepass ${password}
dir ${JSON.stringify(folder)}
save ""
appendonly yes
appendfsync ${relaxed ? 'everysec' : 'always'}
# A full Redis must refuse writes and never evict a claim.
maxmemory-policy noeviction
`;
}
