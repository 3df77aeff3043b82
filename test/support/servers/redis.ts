import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { freePort } from '../freePort.ts';
import { memoryFolder } from '../runner/memoryFolder.ts';

export interface TestRedis {
  url: string;
  port: number;
  /** The server itself, for tests that kill or freeze it. */
  pid: number;
  /** Resolves when the server has ended and its folder is gone; harmless when it has been killed already. */
  stop(): Promise<void>;
}

/**
 * A real Redis of this test's own: empty, as durable as the product's (every write synced), on a free port of
 * 127.0.0.1, without a password. It ends with the test process, even if that is killed. A replica is synced at once; by
 * default Redis waits five seconds for more replicas. If a test neither kills the server nor needs two, `sharedRedis`
 * is faster.
 * @param args further words of redis-server's command line, e.g. `['--maxmemory', '10mb']`; they win over ours
 * @param port the port of one that has ended, for another to come back in its place
 * @param lasting until the test process ends, and not counted as something that a test has left behind
 */
export async function startRedis({
  args = [],
  port,
  lasting = false,
}: { args?: string[]; port?: number; lasting?: boolean } = {}): Promise<TestRedis> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(port ?? (await freePort()), args, lasting);
    } catch (error) {
      // Between finding a free port and taking it, somebody else may have taken it.
      if (attempt === 3) throw error;
    }
  }
}

/**
 * Redis knows nothing of its parent, so a shell stands between: it kills the server and removes its folder when its
 * input ends, as it does with the process that holds the other end. A shell starts faster than the product's guard,
 * which is a Node process.
 */
const GUARD = `
"$(command -v redis-server || command -v valkey-server)" "$@" & server=$!
echo $server
exec 3<&0
(cat <&3; kill -9 $server; rm -rf "$0") >/dev/null 2>&1 &
wait $server`;

async function startOn(port: number, args: readonly string[], lasting: boolean): Promise<TestRedis> {
  const folder = memoryFolder('rain-test-redis-');
  const [configFile, logFile] = [join(folder, 'redis.conf'), join(folder, 'redis.log')];
  writeFileSync(
    configFile,
    `port ${port}\nbind 127.0.0.1\ndir "${folder}"\nlogfile "${logFile}"\nsave ""\nappendonly yes\nappendfsync always\nrepl-diskless-sync-delay 0\n`,
  );
  // A group of its own: Ctrl-C reaches the test first, which ends its servers in order.
  const guard = spawn('sh', ['-c', GUARD, folder, configFile, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const ended = once(guard, 'exit');
  const stop = async () => {
    guard.stdin.destroy();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [said] = await once(guard.stdout, 'data');
    const pid = Number(said);
    if (lasting) guard.unref();
    await Promise.race([
      // Its own word, since whoever has taken the port meanwhile may answer there, too.
      eventually(() => read(logFile).includes('Ready to accept connections'), { timeoutMs: 20_000, everyMs: 5 }),
      ended.then(() => {
        throw new Error(`redis-server ended at once: ${read(logFile).split('\n').at(-1)}`);
      }),
    ]);
    return { url: `redis://127.0.0.1:${port}`, port, pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function read(logFile: string): string {
  try {
    return readFileSync(logFile, 'utf8').trim();
  } catch {
    return 'it is not installed, or wrote no log';
  }
}
