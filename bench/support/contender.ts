import { signToken } from '../../src/platform/auth/token.ts';
import type { TestPostgres } from '../../test/support/servers/postgres.ts';
import type { Speech } from '../load/connection.ts';
import type { Ran } from '../load/crowd.ts';
import type { Order, Reply } from '../load/driver.ts';
import { cpuMs } from './cpu.ts';
import type { Owner, RainHouse } from './rains.ts';
import { openStore, SECRET } from './store.ts';

export type ContenderName = 'rain' | 'ticketed' | 'echo' | 'evalsha' | 'socketIo' | 'http';

interface Design {
  server: string;
  args?: readonly string[];
  env?: Record<string, string>;
  speech: Speech;
  owner: Owner;
  /** The program that credits its wins in the ledger. */
  creditWorker?: { path: string; args?: readonly string[] };
}

const DESIGNS: Record<ContenderName, Design> = {
  rain: { server: '../dist/bin/rain.js', args: ['gateway'], speech: 'rain', owner: 'rain', creditWorker: { path: '../dist/bin/rain.js', args: ['worker'] } },
  ticketed: { server: '../dist/bin/rain.js', args: ['gateway'], env: { TICKETS: 'always' }, speech: 'ticketed', owner: 'rain' },
  echo: { server: 'baselines/echo.ts', speech: 'echo', owner: 'list' },
  evalsha: { server: 'baselines/evalsha.ts', speech: 'plain', owner: 'list' },
  socketIo: { server: 'baselines/socketIo.ts', speech: 'socketIo', owner: 'list', creditWorker: { path: 'baselines/claims.ts' } },
  http: { server: 'baselines/http.ts', speech: 'http', owner: 'stock' },
};

/** Result and processor cost of one run. */
export interface Cost extends Ran {
  serverMs: number;
  redisMs: number;
}

/** One design: its servers, and the process with its users. */
export interface Contender {
  name: ContenderName;
  house: RainHouse;
  serverPid: number;
  /** Connects more users, each on an own socket. */
  connect(count: number): Promise<void>;
  /** Every user gets a ticket for this rain, if tickets are on. */
  enter(rainId: string): Promise<void>;
  /** Runs an order and measures the processor time of the gateway and of Redis meanwhile. */
  run(order: Exclude<Order, { do: 'connect' | 'enter' }>): Promise<Cost>;
  stop(): Promise<void>;
}

interface ContenderOptions {
  postgres: TestPostgres;
  users: number;
  /** Whether wins are to be credited. */
  crediting?: boolean;
}

export async function startContender(name: ContenderName, { postgres, users, crediting = false }: ContenderOptions): Promise<Contender> {
  const { server, args, env, speech, owner, creditWorker } = DESIGNS[name];
  const store = await openStore(postgres, owner);
  const gateway = await store.start(server, args, env);
  if (crediting && creditWorker) await store.start(creditWorker.path, creditWorker.args);
  const driver = await store.start('load/driver.ts');
  const ask = async (order: Order): Promise<Ran | undefined> => {
    const reply = await driver.ask(order) as Reply;
    if (!reply.ok) throw new Error(`${name}: ${reply.reason}`);
    return reply.ran;
  };
  let connected = 0;
  const connect = async (count: number) => {
    const tokens = await Promise.all(Array.from({ length: count }, () => signToken(SECRET, { sub: `user-${connected++}`, expiresInSeconds: 7_200 })));
    await ask({ do: 'connect', speech, port: portOf(gateway.said), tokens });
  };
  await connect(users);
  return {
    name, connect, house: store.house, serverPid: gateway.pid,
    async enter(rainId) {
      await ask({ do: 'enter', rainId });
    },
    async run(order) {
      const before = [cpuMs([gateway.pid]), cpuMs([store.redisPid])] as const;
      const ran = (await ask(order))!;
      return { ...ran, serverMs: cpuMs([gateway.pid]) - before[0], redisMs: cpuMs([store.redisPid]) - before[1] };
    },
    stop: () => store.close(),
  };
}

/** Our gateway reports a URL, the baselines report a port. */
function portOf(said: unknown): number {
  const { url, port } = said as { url?: string; port?: number };
  return url === undefined ? port! : Number(new URL(url).port);
}
