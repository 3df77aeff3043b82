import { randomBytes } from 'node:crypto';
import { SECRET as WALLET_SECRET, startWallet } from '../credit/wallet.ts';
import { deploy } from '../faults/deployment.ts';
import type { Act } from './act.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import { deployed } from '../ledger/deployedRoles.ts';
import { startShop, type Shop } from '../orders/shop.ts';
import { execute } from '../support/servers/postgres.ts';
import { LEDGER_ACTS } from './ledgerActs.ts';
import { MOVE_ACTS } from './moveActs.ts';
import { openQueuesOf, play, type Played } from './play.ts';
import { openOrderQueues } from '../../src/orders/queue.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { CONSOLE_ACTS, playConsole, type ConsoleAct } from './consoleActs.ts';
import { QUEUE_ACTS } from './queueActs.ts';
import { REDIS_ACTS } from './redisActs.ts';
import { TAKEN_ACTS } from './takenActs.ts';
import { SALE_ACTS } from './sale/acts.ts';
import { playSale } from './sale/play.ts';
import type { SaleAct } from './sale/scene.ts';
import { SHOP_ACTS } from './sale/shopActs.ts';

/** The side that keeps the users' money. */
const KEPT_BY = ['ledger', 'webhook'] as const;
type KeptBy = (typeof KEPT_BY)[number];

interface TamperOptions {
  /** A part of the names of the acts to be done; absent: all. */
  only?: string | undefined;
  tell: (sentence: string) => void;
}

/** Rains, or sales, that are played at once. */
const AT_ONCE = 4;

/**
 * Does every act in a rain of its own, once with users' money in the ledger and once in a wallet elsewhere, or in a
 * sale of its own.
 */
export async function tamperWithAll({ only, tell }: TamperOptions): Promise<Played[]> {
  const isWanted = ({ name }: { name: string }) => only === undefined || name.includes(only);
  const acts = [...REDIS_ACTS, ...TAKEN_ACTS, ...QUEUE_ACTS, ...MOVE_ACTS, ...LEDGER_ACTS].filter(isWanted);
  const played: Played[] = [];
  for (const keptBy of acts.length > 0 ? KEPT_BY : []) played.push(...(await tamperWith(keptBy, acts, tell)));
  const saleActs = SALE_ACTS.filter(isWanted);
  if (saleActs.length > 0) played.push(...(await tamperWithSales(saleActs, tell)));
  const shopActs = SHOP_ACTS.filter(isWanted);
  if (shopActs.length > 0) played.push(...(await tamperWithSales(shopActs, tell, await startShop())));
  const consoleActs = CONSOLE_ACTS.filter(isWanted);
  if (consoleActs.length > 0) played.push(...(await tamperWithConsole(consoleActs, tell)));
  return played;
}

async function tamperWith(keptBy: KeptBy, acts: readonly Act[], tell: (sentence: string) => void): Promise<Played[]> {
  const wallet = await startWallet();
  const env: Record<string, string> =
    keptBy === 'ledger' ? {} : { PAYOUT_PROVIDER: 'webhook', WEBHOOK_URL: wallet.url, WEBHOOK_SECRET: WALLET_SECRET };
  const deployment = await deploy({ gateways: 1, workers: 1, env, migrateWith: migrateWithRoles });
  const { queues, close } = await openQueuesOf(deployment);
  const waiting = acts.filter(({ alone }) => !alone);
  const played: Played[] = [];
  const work = async () => {
    for (let act = waiting.shift(); act; act = waiting.shift()) {
      const result = await play(
        { deployment, queues, walletPaid: () => wallet.paid.values() },
        act,
        `t${randomBytes(5).toString('hex')}`,
      );
      played.push(result);
      tell(`${keptBy}: ${sentenceOf(result)}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    waiting.push(...acts.filter(({ alone }) => alone));
    await work();
    return played;
  } finally {
    await close();
    await deployment.end();
    await wallet.stop();
  }
}

const sentenceOf = ({ act, noticed, paidWrongly, untold }: Played) =>
  `${act}: ${noticed || 'NOT NOTICED'}${[...paidWrongly, ...untold].map((sentence) => `\n    ${sentence}`).join('')}`;

/** The ledger with the roles of deploy/postgresql, beside the one that owns it. */
async function migrateWithRoles(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  for (const statement of deployed('roles').matchAll(/^CREATE ROLE .*;$/gm)) await execute(databaseUrl, statement[0]);
  await execute(databaseUrl, deployed('grants'));
}

/** @param shop keeps the orders, and is stopped in the end; absent: the ledger keeps them */
async function tamperWithSales(
  acts: readonly SaleAct[],
  tell: (sentence: string) => void,
  shop?: Shop,
): Promise<Played[]> {
  const env: Record<string, string> = shop
    ? { ORDER_SERVICE: 'webhook', ORDER_WEBHOOK_URL: shop.url, ORDER_WEBHOOK_SECRET: WALLET_SECRET }
    : {};
  const deployment = await deploy({ gateways: 1, workers: 1, env });
  const connection = connectRedis(deployment.env['REDIS_URL']!, { purpose: 'queue', onError: () => {} });
  await untilReady(connection);
  const queues = openOrderQueues({ connection, prefix: QUEUE_PREFIX, onError: () => {} });
  const waiting = [...acts];
  const played: Played[] = [];
  const work = async () => {
    for (let act = waiting.shift(); act; act = waiting.shift()) {
      const result = await playSale(deployment, { queues, shop }, act, `t${randomBytes(5).toString('hex')}`);
      played.push(result);
      tell(sentenceOf(result));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return played;
  } finally {
    await Promise.all(Object.values(queues).map((queue) => queue.close()));
    connection.disconnect();
    await deployment.end();
    await shop?.stop();
  }
}

async function tamperWithConsole(acts: readonly ConsoleAct[], tell: (sentence: string) => void): Promise<Played[]> {
  const deployment = await deploy({ gateways: 0, workers: 0 });
  const played: Played[] = [];
  try {
    for (const act of acts) {
      const result = await playConsole(deployment, act);
      played.push(result);
      tell(sentenceOf(result));
    }
    return played;
  } finally {
    await deployment.end();
  }
}
