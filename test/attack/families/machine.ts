import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { homeAt } from '../../../src/platform/process/home.ts';
import { readRunning, type RunningSystem } from '../../../src/platform/process/runningSystem.ts';
import { startCli, type CliProcess } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { connect as connectRedis } from '../../support/rain.ts';
import { layDatabase } from '../../support/servers/pglite.ts';
import { rain } from '../../support/call.ts';
import type { Attempts, Family } from '../family.ts';

/** The id of the user `nobody`. */
const NOBODY = '65534';

export const machine: Family = {
  name: 'another user of this machine',
  async attack(_scene, attempts) {
    const home = mkdtempSync(join(tmpdir(), 'rain-attack-home-'));
    await layDatabase(homeAt(home));
    // Made by somebody who lets all look into it.
    chmodSync(home, 0o755);
    const system = startCli(['up', '--no-demo'], {
      RAIN_HOME: home,
      GATEWAY_PORT: '0',
      CONSOLE_PORT: '0',
      LOG_LEVEL: 'debug',
    });
    try {
      const running = await eventually(
        () => {
          if (system.child.exitCode !== null) throw new Error(system.stderr());
          return readRunning(home) ?? false;
        },
        { timeoutMs: 60_000 },
      );
      await eventually(() => system.stderr().includes('serving until'), { timeoutMs: 60_000 });
      await ownersDoors(attempts, home, running);
      modes(attempts, home);
      await anotherUser(attempts, home, running);
      listening(attempts, system);
      await told(attempts, home, running, system);
    } finally {
      system.child.kill('SIGTERM');
      await system.done;
      rmSync(home, { recursive: true, force: true });
    }
  },
};

/** The honest form of everything below. */
async function ownersDoors(attempts: Attempts, home: string, { redisUrl, databaseUrl }: RunningSystem): Promise<void> {
  const redis = await connectRedis(redisUrl);
  attempts.control('the owner asks Redis', await redis.ping(), 'PONG');
  redis.disconnect();
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  attempts.control(
    'the owner asks the database',
    (await database.query<{ one: number }>('SELECT 1 AS one')).rows[0]?.one,
    1,
  );
  await database.end();
  attempts.control('the owner reads the secrets', readFileSync(join(home, 'secrets.json'), 'utf8'), /signingSecret/);
}

function modes(attempts: Attempts, home: string): void {
  const open = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => isReachable(home, name));
  attempts.refused('folders and files that others may enter, read or write', open.slice(0, 5).join(', '), '');
  attempts.refused('the mode of a home that somebody made for all', (statSync(home).mode & 0o777).toString(8), '700');
  const beside = readdirSync(home).filter((name) => (statSync(join(home, name)).mode & 0o077) !== 0);
  attempts.refused('what lies in the home with rights for others, should it be opened one day', beside.join(', '), '');
}

/** Whether another user gets to it: each folder above must let them in, and it must let them do something. */
function isReachable(home: string, name: string): boolean {
  const steps = ['', ...name.split('/')];
  return steps.every(
    (_, i) => (statSync(join(home, ...steps.slice(0, i + 1))).mode & (i === steps.length - 1 ? 0o007 : 0o001)) !== 0,
  );
}

async function anotherUser(
  attempts: Attempts,
  home: string,
  { redisUrl, databaseUrl, pid }: RunningSystem,
): Promise<void> {
  const socket = join(decodeURIComponent(/@([^/]+)/.exec(databaseUrl)![1]!), '.s.PGSQL.5432');
  const files = [
    home,
    join(home, 'secrets.json'),
    join(home, 'run.json'),
    join(home, 'redis.conf'),
    join(home, 'logs', 'gateway.log'),
    join(home, 'postgres', 'PG_VERSION'),
    `/proc/${pid}/environ`,
  ];
  if (process.getuid?.() !== 0) {
    // Nobody but root may become another user: the modes above say the same.
    for (const path of files.slice(0, -1))
      attempts.refused(`${path} for others, by its mode`, isReachable(home, path.slice(home.length + 1)), false);
  } else {
    const asNobody = (script: string) => {
      const { status, stdout, stderr } = spawnSync(
        'setpriv',
        ['--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', process.execPath, '-e', script],
        { encoding: 'utf8', cwd: '/', env: { PATH: process.env['PATH']! }, timeout: 20_000 },
      );
      return `${status === 0 ? '' : `exit ${status} `}${stdout.trim()}${stderr.trim().slice(0, 100)}`;
    };
    const quoted = JSON.stringify;
    const attempt = (work: string) => asNobody(`try { ${work} } catch (error) { console.log(error.code) }`);
    const connecting = (options: unknown, then: string) =>
      asNobody(
        `const s = require('net').connect(${quoted(options)}); s.on('error', (e) => console.log(e.code)); s.on('connect', () => { ${then} }); setTimeout(() => { console.log('nothing came'); process.exit() }, 5000).unref(); s.on('data', (d) => { console.log(String(d).slice(0, 40).trim()); s.destroy() })`,
      );
    attempts.control('another user runs programs of this machine', asNobody('console.log(process.getuid())'), NOBODY);
    for (const path of files)
      attempts.refused(
        `another user reads ${path}`,
        attempt(
          `const fs = require('fs'); console.log(fs.statSync(${quoted(path)}).isDirectory() ? fs.readdirSync(${quoted(path)}).join() : String(fs.readFileSync(${quoted(path)})).slice(0, 40))`,
        ),
        ['EACCES', 'EPERM'],
      );
    attempts.refused(
      'another user writes into the home',
      attempt(`require('fs').writeFileSync(${quoted(join(home, 'mine'))}, '')`),
      'EACCES',
    );
    attempts.refused(
      'another user renames the home',
      attempt(`require('fs').renameSync(${quoted(home)}, ${quoted(`${home}.moved`)})`),
      ['EACCES', 'EPERM'],
    );
    attempts.refused(
      'another user connects to the database',
      connecting({ path: socket }, "console.log('connected'); s.destroy()"),
      ['EACCES', 'EPERM'],
    );
    attempts.refused(
      'another user asks Redis',
      connecting({ host: '127.0.0.1', port: Number(new URL(redisUrl).port) }, "s.write('KEYS *\\r\\n')"),
      /^-NOAUTH/,
    );
    attempts.refused('another user ends the system', attempt(`process.kill(${pid}, 'SIGTERM')`), 'EPERM');
  }
  const redis = connect({ host: '127.0.0.1', port: Number(new URL(redisUrl).port) });
  const answer = await new Promise<string>((resolve) => {
    redis
      .once('data', (data) => resolve(String(data)))
      .once('error', (error) => resolve(error.message))
      .write('AUTH password\r\n');
  });
  redis.destroy();
  attempts.refused('Redis takes a password that everybody tries', answer, /^-(WRONGPASS|ERR)/);
}

/** This process and all that it has started. */
function family(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          return [[Number(name), Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1])] as const];
        } catch {
          return [];
        }
      }),
  );
  const found = [pid];
  for (const one of found) found.push(...[...parents].filter(([, parent]) => parent === one).map(([child]) => child));
  return found;
}

/** Addresses at which these processes take TCP connections, from the tables of the kernel. */
function listening(attempts: Attempts, system: CliProcess): void {
  const inodes = new Set(
    family(system.child.pid!).flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? ''];
        } catch {
          return [];
        }
      }),
    ),
  );
  const addresses = ['tcp', 'tcp6']
    .flatMap((table) =>
      readFileSync(`/proc/net/${table}`, 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/)),
    )
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode!))
    .map(([, local]) => local!.split(':')[0]!);
  attempts.control('it takes connections: gateway, console and Redis at least', addresses.length >= 3, true);
  // 127.0.0.1, in the byte order of the machine.
  attempts.refused(
    'connections from beyond this machine',
    addresses.filter((address) => address !== '0100007F').join(' '),
    '',
  );
}

/** The output of processes, logs and commands. */
async function told(attempts: Attempts, home: string, running: RunningSystem, system: CliProcess): Promise<void> {
  const secrets = Object.entries(
    JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')) as Record<string, string>,
  );
  const password = /\/ (\S{16})$/m.exec(system.stderr())?.[1];
  attempts.control('the password of the first operator stands on the terminal', password !== undefined, true);
  const known: [string, string][] = [
    ...secrets,
    ['the signing secret', running.signingSecret],
    ['the password of the first operator', password!],
  ];
  const namesIn = (text: string) =>
    known
      .filter(([, secret]) => text.includes(secret))
      .map(([name]) => name)
      .join(', ');
  for (const pid of family(system.child.pid!))
    attempts.refused(
      `secrets in the command line of a process: ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, 3).join(' ')}`,
      namesIn(readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
      '',
    );
  const logs = readdirSync(homeAt(home).logs);
  attempts.control('there are logs', logs.length >= 3, true);
  for (const name of logs)
    attempts.refused(`secrets in ${name}`, namesIn(readFileSync(join(homeAt(home).logs, name), 'utf8')), '');
  for (const words of [
    ['system', '--json'],
    ['doctor', '--json'],
    ['gateways', '--json'],
    ['operator', 'list', '--json'],
    ['actions', '--json'],
    ['list', '--json'],
  ]) {
    const { stdout, stderr } = await rain(words, { RAIN_HOME: home, SIGNING_SECRET: running.signingSecret });
    attempts.refused(`secrets in what rain ${words[0]} prints`, namesIn(stdout + stderr), '');
  }
  const { hostname } = new URL(running.consoleUrl);
  attempts.refused(
    'the page is at another address than this machine',
    isIP(hostname) === 4 && hostname.startsWith('127.'),
    true,
  );
}
