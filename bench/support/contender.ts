import type { TestPostgres } from '../../test/support/servers/postgres.ts';
import type { Speech } from '../load/connection.ts';
import type { Ran } from '../load/crowd.ts';
import type { Order } from '../load/driver.ts';
import { cpuMs } from './cpu.ts';
import type { Owner } from './rains.ts';
import { openStore } from './store.ts';
import { startUsers } from './users.ts';

export type ContenderName = 'rain' | 'ticketed' | 'echo' | 'evalsha' | 'socketIo' | 'http' | 'sale' | 'saleHttp';

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
  rain: {
    server: '../dist/bin/rain.js',
    args: ['gateway'],
    speech: 'rain',
    owner: 'rain',
    creditWorker: { path: '../dist/bin/rain.js', args: ['worker'] },
  },
  ticketed: {
    server: '../dist/bin/rain.js',
    args: ['gateway'],
    env: { TICKETS: 'always' },
    speech: 'ticketed',
    owner: 'rain',
  },
  echo: { server: 'baselines/echo.ts', speech: 'echo', owner: 'list' },
  evalsha: { server: 'baselines/evalsha.ts', speech: 'plain', owner: 'list' },
  socketIo: {
    server: 'baselines/socketIo.ts',
    speech: 'socketIo',
    owner: 'list',
    creditWorker: { path: 'baselines/claims.ts' },
  },
  http: { server: 'baselines/http.ts', speech: 'http', owner: 'stock' },
  sale: { server: '../dist/bin/rain.js', args: ['gateway'], speech: 'sale', owner: 'sale' },
  saleHttp: { server: '../dist/bin/rain.js', args: ['gateway'], speech: 'saleHttp', owner: 'sale' },
};

export interface Cost extends Ran {
  serverMs: number;
  redisMs: number;
}

export type Contender<N extends ContenderName = ContenderName> = Awaited<ReturnType<typeof startContender<N>>>;

interface ContenderOptions {
  postgres: TestPostgres;
  users: number;
  crediting?: boolean;
}

/** Starts one design: its servers, and the process with its users. */
async function startContender<N extends ContenderName>(
  name: N,
  { postgres, users: count, crediting = false }: ContenderOptions,
) {
  const { server, args, env, speech, owner, creditWorker } = DESIGNS[name];
  const store = await openStore(postgres, owner);
  const gateway = await store.start(server, args, env);
  if (crediting && creditWorker) await store.start(creditWorker.path, creditWorker.args);
  const users = await startUsers(store, gateway, speech, name);
  await users.connect('user', count);
  return {
    name,
    users,
    house: store.house,
    serverPid: gateway.pid,
    /** Runs an order and measures the processor time of the gateway and of Redis meanwhile. */
    async run(order: Exclude<Order, { do: 'connect' | 'enter' | 'leave' }>): Promise<Cost> {
      const before = [cpuMs([gateway.pid]), cpuMs([store.redisPid])] as const;
      const { ran } = await users.ask(order);
      return { ...ran!, serverMs: cpuMs([gateway.pid]) - before[0], redisMs: cpuMs([store.redisPid]) - before[1] };
    },
    stop: () => store.close(),
  };
}

/** Starts these designs side by side, and stops them in any case. */
export async function withContenders<N extends ContenderName, T>(
  names: readonly N[],
  options: ContenderOptions,
  work: (contenders: readonly Contender<N>[]) => Promise<T>,
): Promise<T> {
  const started = await Promise.allSettled(names.map((name) => startContender(name, options)));
  const contenders = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  try {
    for (const start of started) if (start.status === 'rejected') throw start.reason;
    return await work(contenders);
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()));
  }
}
