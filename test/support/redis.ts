import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './freePort.ts';

export interface TestRedis {
  url: string;
  port: number;
  pid: number;
  /** Resolves when the server has ended and its folder is gone; harmless when it has been killed already. */
  stop(): Promise<void>;
}

/**
 * A real Redis of this test's own: empty, durable like the product's (every write synced), on a free port of 127.0.0.1.
 * @param args further words of redis-server's command line, e.g. `['--maxmemory', '10mb']`; they win over ours
 */
export async function startRedis({ args = [] }: { args?: string[] } = {}): Promise<TestRedis> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryStart(await freePort(), args);
    } catch (error) {
      // Between finding a free port and taking it, somebody else may have taken it.
      if (attempt === 3) throw error;
    }
  }
}

async function tryStart(port: number, args: string[]): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-redis-'));
  const child = spawn('redis-server', [
    '--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always', ...args,
  ], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => { output = (output + String(chunk)).slice(-2_000); });
  child.stderr.on('data', (chunk) => { output = (output + String(chunk)).slice(-2_000); });
  const ended = once(child, 'close');
  const killAtExit = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', killAtExit);
  const stop = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(late);
    process.off('exit', killAtExit);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.race([
      eventually(() => answersPing(port), { timeoutMs: 10_000 }),
      ended.then(() => { throw new Error(`redis-server ended at once:\n${output}`); }),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, port, pid: child.pid!, stop };
}

/** Any answer will do: `-NOAUTH` and `-LOADING` also come from a living server, but only the first from a usable one. */
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
