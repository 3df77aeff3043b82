import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { startChild } from '../../src/runtime/children.ts';
import { compiledEntry } from '../../src/runtime/entry.ts';
import { eventually } from './eventually.ts';
import { freePort } from './freePort.ts';

export interface TestRedis {
  url: string;
  port: number;
  /** The server itself, for tests that kill or freeze it. */
  pid: number;
  /** Resolves when the server has ended and its folder is gone; harmless when it has been killed already. */
  stop(): Promise<void>;
}

/**
 * A real Redis of this test's own: empty, durable like the product's (every write synced), on a free port of 127.0.0.1,
 * without a password. Behind the product's guard, so that it also ends with a test process that is killed.
 * @param args further words of redis-server's command line, e.g. `['--maxmemory', '10mb']`; they win over ours
 * @param port of one that has ended, for another to come back in its place
 */
export async function startRedis({ args = [], port }: { args?: string[]; port?: number } = {}): Promise<TestRedis> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(port ?? await freePort(), args);
    } catch (error) {
      // Between finding a free port and taking it, somebody else may have taken it.
      if (attempt === 3) throw error;
    }
  }
}

async function startOn(port: number, args: string[]): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-redis-'));
  const configFile = join(folder, 'redis.conf');
  writeFileSync(configFile, `port ${port}\nbind 127.0.0.1\ndir "${folder}"\nsave ""\nappendonly yes\nappendfsync always\n`);
  const started = await startChild({
    name: 'redis', entry: compiledEntry('runtime/embedded/redisGuard.js'), args: [configFile, ...args], logs: folder,
    facts: z.object({ serverPid: z.int() }),
  });
  if (!started.ok) throw new Error(started.reason);
  const { child } = started;
  const pid = child.facts.serverPid;
  const killAtExit = () => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended already.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', killAtExit);
  const stop = async () => {
    await child.stop();
    process.off('exit', killAtExit);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.race([
      eventually(() => answersPing(port), { timeoutMs: 20_000 }),
      child.ended.then(() => { throw new Error(`redis-server ended at once${child.lastLine()}`); }),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, port, pid, stop };
}

/** `-NOAUTH` (a test's own `--requirepass`) also comes from a server that is ready; `-LOADING` does not. */
async function answersPing(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write('PING\r\n');
    const [answer] = await once(socket, 'data');
    return /^(\+PONG|-NOAUTH)/.test(String(answer));
  } finally {
    socket.destroy();
  }
}
