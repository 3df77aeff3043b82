import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { GATEWAY_PATH } from '../../src/protocol/constants.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { compiledEntry, startChild, type ChildOptions } from '../../src/platform/process/childProcess.ts';
import { rain } from '../support/call.ts';
import { SECRET } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { memoryFolder } from '../support/runner/memoryFolder.ts';
import { startPostgres, type TestPostgres } from '../support/servers/postgres.ts';
import { connect } from '../support/rain.ts';
import { Part, type Extra, type Started } from './systemPart.ts';
import { signer, SIGNING_SECRET } from '../support/signer.ts';

const RAIN = compiledEntry('bin/rain.js');

/** Here the gateways reconnect within a second, so a short wait is enough. */
const SETTLE_AFTER_RECONNECT_MS = 2_500;

/** Opens a proxy in front of the server's port. @returns the proxy's port */
type Detour = (port: number) => Promise<{ port: number; close(): Promise<void> }>;

export interface DeploymentOptions {
  gateways?: number;
  workers?: number;
  /** Proxies between the processes. The test's own connections use none of them. */
  detours?: Partial<Record<'usersToGateways' | 'gatewaysToRedis' | 'workersToRedis' | 'workersToPostgres', Detour>>;
  /** Environment of all processes of `rain`. */
  env?: Record<string, string>;
  /** Makes the tables; by default those of this version. */
  migrateWith?: (databaseUrl: string) => Promise<unknown>;
}

/** The system as deployed: every server is a separate process. An operator context in this process inspects it. */
export interface System {
  postgres: Part;
  gateways: Part[];
  workers: Part[];
  /** The gateways' addresses for users, in order. They stay the same after a restart. */
  gatewayUrls: string[];
  databaseUrl: string;
  context: OperatorContext;
  database: Database;
  /** Environment for the operator's `rain`. */
  env: Record<string, string>;
  /** Runs `rain` with these words, in the test's own process. @returns its output @throws if it fails */
  rain(...words: string[]): Promise<string>;
  /** Restarts stopped processes and thaws frozen ones. */
  heal(): Promise<void>;
  /** Unexpected ends of processes since the last call. */
  accidents(): string[];
  end(): Promise<void>;
}

/** With one Redis. */
export interface Deployment extends System {
  redis: Part;
  /** Where Redis keeps its files. */
  redisFolder: string;
}

export function deploy(options: DeploymentOptions = {}): Promise<Deployment> {
  return deployOn(async ({ home, part, detour }) => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    const redisFolder = join(home, 'redis');
    const redis = part('redis', () => launchRedis(redisFolder, port));
    await redis.start();
    return {
      url,
      gatewaysUrl: at(url, await detour('gatewaysToRedis', port)),
      workersUrl: at(url, await detour('workersToRedis', port)),
      parts: [redis],
      facts: { redis, redisFolder },
    };
  }, options);
}

/** A store that a deployment keeps its rains in. */
interface Store<Facts> {
  url: string;
  /** If not the same. */
  gatewaysUrl?: string;
  workersUrl?: string;
  /** Healed with the others. */
  parts?: readonly Part[];
  facts: Facts;
}

interface StoreSetting {
  /** A folder that goes with the deployment. */
  home: string;
  part(name: string, launch: () => Promise<Started>): Part;
  detour(line: keyof NonNullable<DeploymentOptions['detours']>, port: number): Promise<number>;
  onEnd(step: () => Promise<unknown> | void): void;
}

export async function deployOn<Facts>(
  openStore: (setting: StoreSetting) => Promise<Store<Facts>>,
  { gateways = 2, workers = 2, env: extraEnv = {}, detours = {}, migrateWith = migrate }: DeploymentOptions = {},
): Promise<System & Facts> {
  const ends: (() => Promise<unknown> | void)[] = [];
  const end = async () => {
    for (const step of ends.splice(0).reverse()) await step();
  };
  const unexpectedEnds: string[] = [];
  const part = (name: string, begin: (extra: Extra) => Promise<Started>) => {
    const made = new Part(name, begin, (sentence) => unexpectedEnds.push(sentence));
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
    await migrateWith(databaseUrl);

    const store = await openStore({ home, part, detour, onEnd: (step) => void ends.push(step) });
    const redisUrl = store.url;

    const env: Record<string, string> = {
      REDIS_URL: redisUrl,
      DATABASE_URL: databaseUrl,
      JWT_SECRET: SECRET,
      SIGNING_SECRET,
      JWKS_URL: '',
      JWT_ISSUER: '',
      JWT_AUDIENCE: '',
      ALLOWED_ORIGINS: '',
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PUBLIC_URL: '',
      RAIN_HOME: home,
      LOG_LEVEL: 'warn',
      NODE_OPTIONS: '',
      SETTLE_AFTER_RECONNECT_MS: String(SETTLE_AFTER_RECONNECT_MS),
      ...extraEnv,
    };
    const gatewayEnv = { ...env, REDIS_URL: store.gatewaysUrl ?? redisUrl };
    const workerEnv = {
      ...env,
      REDIS_URL: store.workersUrl ?? redisUrl,
      DATABASE_URL: at(databaseUrl, await detour('workersToPostgres', server.port)),
    };
    const ports = await freePorts(gateways);
    const userPorts = await Promise.all(ports.map((port) => detour('usersToGateways', port)));
    const gatewayParts = ports.map((port, i) =>
      part(`gateway-${i}`, (start) =>
        launch({
          name: `gateway-${i}`,
          entry: start.entry ?? RAIN,
          args: ['gateway'],
          env: { ...gatewayEnv, GATEWAY_PORT: String(port), ...start.env },
          logs: home,
          facts: z.object({}),
        }),
      ),
    );
    const workerParts = Array.from({ length: workers }, (_, i) =>
      part(workerName(i), (start) =>
        launch({
          name: workerName(i),
          entry: start.entry ?? RAIN,
          args: ['worker'],
          env: { ...workerEnv, DATABASE_URL: named(workerEnv.DATABASE_URL, workerName(i)), ...start.env },
          logs: home,
          facts: z.object({}),
        }),
      ),
    );
    const parts = [...(store.parts ?? []), postgres, ...gatewayParts, ...workerParts];
    await Promise.all([...gatewayParts, ...workerParts].map((each) => each.start()));

    const redisClient = await connect(redisUrl);
    const database = connectDatabase(databaseUrl);
    ends.push(
      () => redisClient.disconnect(),
      () => database.$disconnect(),
    );
    return {
      ...store.facts,
      postgres,
      gateways: gatewayParts,
      workers: workerParts,
      gatewayUrls: userPorts.map((port) => `ws://127.0.0.1:${port}${GATEWAY_PATH}`),
      databaseUrl,
      database,
      env,
      context: { redis: redisClient, ledger: openLedger(database), signer, actor: 'test' },
      async rain(...words) {
        const { exit, stdout, stderr } = await rain(words, env);
        if (exit !== 0)
          throw Object.assign(new Error(`rain ${words.join(' ')}: exit ${exit}: ${stderr}`), {
            code: exit,
            stdout,
            stderr,
          });
        return stdout;
      },
      async heal() {
        for (const each of parts) {
          each.thaw();
          await each.start();
        }
        await eventually(() => redisClient.status === 'ready');
      },
      accidents: () => unexpectedEnds.splice(0),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The name of a worker, also of its connections to PostgreSQL. */
export const workerName = (index: number): string => `worker-${index}`;

/** The same database, for connections with this name. */
function named(url: string, name: string): string {
  const moved = new URL(url);
  moved.searchParams.set('application_name', name);
  return moved.href;
}

/** The same URL with another port. */
function at(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
}

/** @throws when it does not get ready */
export async function launch(options: ChildOptions<Record<string, unknown>>): Promise<Started> {
  const started = await startChild(options);
  if (!started.ok) throw new Error(started.reason);
  return { child: started.child, pid: started.child.pid };
}

async function launchPostgres(postgres: TestPostgres): Promise<Started> {
  const { pid, ended, signal, stop, lastLine } = await postgres.serve();
  return {
    pid,
    signal,
    child: { ended: ended.then((end) => ({ ...end, expected: false })), stop, lastLine: () => `: ${lastLine()}` },
  };
}

/** Syncs every write before its reply, as in the product. The folder survives a restart. */
async function launchRedis(folder: string, port: number): Promise<Started> {
  mkdirSync(folder, { recursive: true });
  const configFile = join(folder, 'redis.conf');
  writeFileSync(
    configFile,
    `port ${port}\nbind 127.0.0.1\ndir "${folder}"\nsave ""\nappendonly yes\nappendfsync always\n`,
  );
  const started = await startChild({
    name: 'redis',
    entry: compiledEntry('platform/embedded/redisGuard.js'),
    args: [configFile],
    logs: folder,
    facts: z.object({ serverPid: z.int() }),
  });
  if (!started.ok) throw new Error(started.reason);
  // Ready when it answers: after a kill it first loads its log.
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
