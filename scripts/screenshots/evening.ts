import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const RAIN = 'dist/bin/rain.js';

/** Runs a command of this evening. @throws when it fails */
export async function runToEnd(home: string, ...words: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [RAIN, ...words], { env: { ...process.env, RAIN_HOME: home } });
}

/** Starts `rain up --event` in an empty folder. @returns the addresses and the password that it prints */
export async function startEvening(home: string) {
  const system = spawn(process.execPath, [RAIN, 'up', '--event', 'Annual party'], {
    env: { ...process.env, RAIN_HOME: home, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  for await (const text of system.stderr
    .setEncoding('utf8')
    .iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
    told += text;
    if (told.includes('serving until')) break;
  }
  system.stderr.resume();
  const found = (pattern: RegExp) => {
    const [, value] = pattern.exec(told) ?? [];
    if (value === undefined) throw new Error(`rain up did not say ${pattern}:\n${told}`);
    return value;
  };
  return {
    page: found(/^guests {3}(\S+)$/m),
    console: found(/^console {2}(\S+)$/m),
    password: found(/operator \/ (\S+)/),
    async end() {
      system.kill('SIGTERM');
      await once(system, 'exit');
    },
  };
}
