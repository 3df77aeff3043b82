import { afterAll, beforeAll } from 'vitest';
import { SECRET } from '../credit/wallet.ts';
import { startShop, type Shop, type ShopBehaviour } from '../orders/shop.ts';
import { eventually } from '../support/eventually.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { deploy, type Deployment } from './deployment.ts';
import { testFault } from './fault.ts';
import { armDeath, untilDeath } from './means/death.ts';
import { startShopConsole, type ShopConsole } from './sale/console.ts';
import { BUYERS, buyerOf, LONG_HOLD_MS, playSaleRun, type SaleFaultOptions, type SaleStrike } from './sale/run.ts';
import { checkShop } from './sale/shopVerdict.ts';

// The shop keeps the orders of these sales: workers post them to it, and it calls the console back, twice, and pays
// what is cancelled.

/** Its way is longer: over the shop and the console, both just started. */
const HOLD_MS = 4_000;

let shop: Shop | undefined;
let deployment: Deployment | undefined;
let shopConsole: ShopConsole | undefined;
beforeAll(async () => {
  if (!postgresInstalled) return;
  shop = await startShop();
  const deployed = await deploy({
    env: { ORDER_SERVICE: 'webhook', ORDER_WEBHOOK_URL: shop.url, ORDER_WEBHOOK_SECRET: SECRET },
  });
  deployment = { ...deployed, context: { ...deployed.context, orderService: 'webhook' } };
  shopConsole = await startShopConsole(deployment, shop);
}, 120_000);
afterAll(async () => {
  await shopConsole?.part.stop();
  await deployment?.end();
  await shop?.stop();
}, 60_000);

function fault(name: string, strike: SaleStrike, options: SaleFaultOptions = {}): void {
  testFault(
    `sale: ${name}`,
    async (run) => {
      const { part, callBack, seen, accidents } = shopConsole!;
      // The run before may have failed while it was down.
      await part.start();
      const result = await playSaleRun(deployment!, run, strike, { callBack, holdMs: HOLD_MS, ...options });
      return {
        ...result,
        problems: [
          ...accidents(),
          ...result.problems,
          ...(await checkShop(deployment!.context, shop!, seen.payBack, run.rainId)),
        ],
      };
    },
    { slow: true, possible: postgresInstalled },
  );
}

/** The answers to requests with orders of this sale from now on, by the number of a buyer. */
function planAll(saleId: string, behavioursOf: (number: number) => ShopBehaviour[]): void {
  for (let number = 0; number < BUYERS; number++) shop!.plan(buyerOf(saleId, number), behavioursOf(number), true);
}

/** Whether the shop was told an order once more. */
function hasComeAgain(saleId: string): boolean {
  const ids = shop!.asked.flatMap(({ orders }) => orders).filter((id) => id.startsWith(`${saleId}-`));
  return new Set(ids).size < ids.length;
}

fault(
  'the shop takes the orders, and its answers are lost for a while',
  async ({ saleId, random }) => {
    await eventually(() => hasComeAgain(saleId));
    await random.pause(0, 1_000);
    planAll(saleId, () => []);
    return Date.now();
  },
  { prepare: (_, saleId) => planAll(saleId, (number) => [number % 2 === 0 ? 'takeThenClose' : 'takeThenCut']) },
);

fault('the shop calls back twice, and kill -9 of the console in between', async ({ saleId, random, context }) => {
  const { part, callBack, seen } = shopConsole!;
  const paid = () => context.ledger.orders({ saleId, status: 'paid' });
  await eventually(async () => (await paid()).length > 0);
  const before = await paid();
  await eventually(() => seen.underWay > 0, { everyMs: 1 });
  await random.pause(0, 5);
  await part.kill();
  const killedAt = Date.now();
  await random.pause(0, 500);
  await part.start();
  for (const { id } of before) {
    const { outcome } = await callBack.stepOrder(id, 'paid');
    if (outcome !== 'was') throw new Error(`${id}, paid before the kill, was answered ${outcome} after it`);
  }
  return killedAt;
});

fault(
  'the shop calls "paid" after a cancel, and kill -9 of the worker that has cancelled',
  (scene) =>
    untilDeath(scene, async () => {
      const cancelled = () => scene.context.ledger.orders({ saleId: scene.saleId, status: 'cancelled' });
      await eventually(async () => (await cancelled()).some(({ id }) => shopConsole!.seen.payBack.has(id)));
    }),
  { prepare: (stage) => armDeath(stage, 'cancelled', 1), holdMs: LONG_HOLD_MS },
);
