import { spawn } from 'node:child_process';
import { endWithParent, sendFailed, sendReady } from '../process/ipc.ts';
import { REDIS_PROGRAMS } from './redisProgram.ts';

/**
 * Process entry, `redisGuard.js <config file> [option …]`. A Redis server does not notice the end of its parent, so
 * this process between them stops it on a signal, or when the parent is gone, and ends when it ends.
 */
const KILL_AFTER_MS = 5_000;
const serverArguments = process.argv.slice(2);

function run([command, ...others]: readonly string[]): void {
  if (command === undefined) return fail(`neither of ${REDIS_PROGRAMS.join(', ')} is on the PATH`);
  const server = spawn(command, serverArguments, { stdio: ['ignore', 'inherit', 'inherit'] });
  let stopping = false;
  let kill: NodeJS.Timeout | undefined;
  const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const stop = () => {
    stopping = true;
    server.kill('SIGTERM');
    kill ??= setTimeout(() => server.kill('SIGKILL'), KILL_AFTER_MS);
    return gone;
  };
  server.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') run(others);
    else fail(`${command} cannot be run (${error.code})`);
  });
  server.once('spawn', () => {
    process.on('SIGTERM', () => void stop());
    process.on('SIGINT', () => void stop());
    endWithParent(stop, KILL_AFTER_MS + 2_000);
    void sendReady({ serverPid: server.pid });
  });
  server.once('exit', () => process.exit(stopping ? 0 : 1));
}

function fail(sentence: string): void {
  void sendFailed(sentence).then(() => process.exit(1));
}

run(REDIS_PROGRAMS);
