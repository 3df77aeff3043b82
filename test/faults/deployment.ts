import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { GATEWAY_PATH } from '../../src/protocol/constants.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { startChild, type ChildOptions } from '../../src/platform/process/childProcess.ts';
import { compiledEntry } from '../../src/platform/process/compiledEntry.ts';
import { SECRET } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { memoryFolder } from '../support/memoryFolder.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { connect } from '../support/rain.ts';
import { Part, type Started } from './systemPart.ts';

const RAIN = compiledEntry('bin/rain.js');

/** Long enough for gateways that are connected again within a second, as they are here. */
const SETTLE_AFTER_RECONNECT_MS = 2_500;

/** Stands in a line: given the port of the server, it says at which port those at the other end are to find it. */
type Detour = (port: number) => Promise<{ port: number; close(): Promise<void> }>;

export interface DeploymentOptions {
  gateways?: number;
  workers?: number;
  /** The test's own context goes none of them. */
  detours?: Partial<Record<'usersToGateways' | 'gatewaysToRedis' | 'workersToRedis' | 'workersToPostgres', Detour>>;
  /** For all processes of `rain`. */
  env?: Record<string, string>;
}

/** The system as it is deployed: every server a process of its own, and an operator context in this one to look at it. */
export interface Deployment {
  redis: Part;
  postgres: Part;
  gateways: Part[];
  workers: Part[];
  /** Where the gateways are, in order, as users go there; the same after a restart. */
  gatewayUrls: string[];
  databaseUrl: string;
  context: OperatorContext;
  database: Database;
  /** What the operator's `rain` is to run with. */
  env: Record<string, string>;
  /** Runs `rain` with these words and gives what it printed. @throws when it fails */
  rain(...args: string[]): Promise<string>;
  /** Starts again what does not run, and lets go on what is frozen. */
  heal(): Promise<void>;
  /** Processes that ended by themselves since the last time this was asked. */
  accidents(): string[];
  end(): Promise<void>;
}

export async function deploy({ gateways = 2, workers = 2, env: extraEnv = {}, detours = {} }: DeploymentOptions = {}): Promise<Deployment> {
  const ends: (() => Promise<unknown> | void)[] = [];
  const end = async () => { for (const step of ends.splice(0).reverse()) await step(); };
  const sentences: string[] = [];
  const part = (name: string, launch: (extra: Record<string, string>) => Promise<Started>) => {
    const made = new Part(name, launch, (sentence) => sentences.push(sentence));
    ends.push(() => made.stop());
    return made;
  };
  const detour = async (line: keyof typeof detours, port: number) => {
    const taken = await detours[line]?.(port);
    if (taken) ends.push(() => taken.close());
    return taken?.port ?? port;
  };
  try {
    const home = memoryFolder('rain-test-faults-');
    ends.push(() => rmSync(home, { recursive: true, force: true }));
    const server = await startPostgres();
    ends.push(() => server.stop());
    const postgres = part('postgres', () => launchPostgres(server));
    await postgres.start();
    const databaseUrl = await server.newDatabase();
    await migrate(databaseUrl);

    const redisPort = await freePort();
    const redisUrl = `redis://127.0.0.1:${redisPort}`;
    const redis = part('redis', () => launchRedis(join(home, 'redis'), redisPort));
    await redis.start();

    const env: Record<string, string> = {
      REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, JWT_SECRET: SECRET, JWKS_URL: '', JWT_ISSUER: '', JWT_AUDIENCE: '', ALLOWED_ORIGINS: '',
      GATEWAY_HOST: '127.0.0.1', GATEWAY_PUBLIC_URL: '', RAIN_HOME: home, LOG_LEVEL: 'warn', NODE_OPTIONS: '',
      SETTLE_AFTER_RECONNECT_MS: String(SETTLE_AFTER_RECONNECT_MS), ...extraEnv,
    };
    const gatewayEnv = { ...env, REDIS_URL: at(redisUrl, await detour('gatewaysToRedis', redisPort)) };
    const workerEnv = {
      ...env, REDIS_URL: at(redisUrl, await detour('workersToRedis', redisPort)),
      DATABASE_URL: at(databaseUrl, await detour('workersToPostgres', server.port)),
    };
    const ports = await freePorts(gateways);
    const doorsteps = await Promise.all(ports.map((port) => detour('usersToGateways', port)));
    const doors = ports.map((port, i) => part(`gateway-${i}`, (extra) => launch({
      name: `gateway-${i}`, entry: RAIN, args: ['gateway'], env: { ...gatewayEnv, GATEWAY_PORT: String(port), ...extra }, logs: home, facts: z.object({}),
    })));
    const clerks = Array.from({ length: workers }, (_, i) => part(`worker-${i}`, (extra) => launch({
      name: `worker-${i}`, entry: RAIN, args: ['worker'], env: { ...workerEnv, ...extra }, logs: home, facts: z.object({}),
    })));
    const parts = [redis, postgres, ...doors, ...clerks];
    await Promise.all([...doors, ...clerks].map((each) => each.start()));

    const looking = await connect(redisUrl);
    const database = connectDatabase(databaseUrl);
    ends.push(() => looking.disconnect(), () => database.$disconnect());
    const run = promisify(execFile);
    return {
      redis, postgres, gateways: doors, workers: clerks, gatewayUrls: doorsteps.map((port) => `ws://127.0.0.1:${port}${GATEWAY_PATH}`), databaseUrl, database, env,
      context: { redis: looking, ledger: openLedger(database), actor: 'test' },
      rain: async (...args) => (await run(process.execPath, [RAIN, ...args], { env: { ...process.env, ...env } })).stdout,
      async heal() {
        for (const each of parts) {
          each.thaw();
          await each.start();
        }
        await eventually(() => looking.status === 'ready');
      },
      accidents: () => sentences.splice(0),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The same server by another port. */
function at(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
}

async function launch(options: ChildOptions<Record<string, unknown>>): Promise<Started> {
  const started = await startChild(options);
  if (!started.ok) throw new Error(started.reason);
  return { child: started.child, pid: started.child.pid };
}

async function launchPostgres(postgres: TestPostgres): Promise<Started> {
  const { pid, ended, signal, stop, lastLine } = await postgres.serve();
  return { pid, signal, child: { ended: ended.then((end) => ({ ...end, expected: false })), stop, lastLine: () => `: ${lastLine()}` } };
}

/** Every write synced before its reply, as the product's own; the folder outlives the server. */
async function launchRedis(folder: string, port: number): Promise<Started> {
  mkdirSync(folder, { recursive: true });
  const configFile = join(folder, 'redis.conf');
  writeFileSync(configFile, `port ${port}\nbind 127.0.0.1\ndir "${folder}"\nsave ""\nappendonly yes\nappendfsync always\n`);
  const started = await startChild({
    name: 'redis', entry: compiledEntry('platform/embedded/redisGuard.js'), args: [configFile], logs: folder, facts: z.object({ serverPid: z.int() }),
  });
  if (!started.ok) throw new Error(started.reason);
  // Ready when it answers: after a kill it first reads its log again.
  const probe = await connect(`redis://127.0.0.1:${port}`);
  try {
    await eventually(() => probe.ping(), { timeoutMs: 20_000 });
  } finally {
    probe.disconnect();
  }
  return { child: started.child, pid: started.child.facts.serverPid };
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
