import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { BookedStock } from '../../src/ledger/stock.ts';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { findLostSales } from '../../src/operator/sale/lost.ts';
import { eventually } from '../support/eventually.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { deploy } from './deployment.ts';
import { asked, testFault } from './fault.ts';
import { armDeath, untilDeath } from './means/death.ts';
import { openPool } from './pool.ts';
import {
  arrive,
  LONG_HOLD_MS,
  openFaultSale,
  playSaleRun,
  type SaleFaultOptions,
  type SaleStrike,
} from './sale/run.ts';
import { HonestBuyers } from './users/honestBuyers.ts';

// Each step of a purchase is cut once. The shop calls back twice, and pays what is cancelled, in every run.

const AT_ONCE = asked ? 1 : 2;
const pool = openPool(() => deploy(), AT_ONCE);

function fault(name: string, strike: SaleStrike, options: SaleFaultOptions = {}): void {
  testFault(`sale: ${name}`, (run) => pool.lend((deployment) => playSaleRun(deployment, run, strike, options)), {
    slow: true,
    possible: postgresInstalled,
    concurrent: AT_ONCE > 1,
  });
}

/** The worker dies at the first orders that reach this moment. */
function death(
  name: string,
  moment: Parameters<typeof armDeath>[1],
  options: Pick<SaleFaultOptions, 'when' | 'holdMs'> = {},
): void {
  fault(name, untilDeath, { prepare: (stage) => armDeath(stage, moment, 1), ...options });
}

fault('kill -9 of a gateway while it reserves', async ({ gateways, random }) => {
  const gateway = random.pick(gateways);
  await gateway.kill();
  await random.pause(0, 800);
  await gateway.start();
});

death('kill -9 of the relay between "the queue has it" and "the cursor moved"', 'added');
death('kill -9 of the worker between the order and its announcement', 'ordered');
death('kill -9 of the follower between the ledger and Redis', 'following');
death('kill -9 of the follower between Redis and its mark', 'followed');
death('kill -9 of the worker that has ended unpaid orders', 'expired');
death('kill -9 of the worker that has cancelled an order', 'cancelled', { holdMs: LONG_HOLD_MS });
death('kill -9 of the settler between the ledger and Redis', 'sale-settled', { when: 'end' });

fault('kill -9 of Redis, started again on its data', async ({ redis, random }) => {
  await redis.kill();
  await random.pause(0, 1_000);
  await redis.start();
});

fault('kill -9 of all workers', async ({ workers, random }) => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await random.pause(0, 1_500);
  await Promise.all(workers.map((worker) => worker.start()));
});

// No row of the table: nothing on Redis survives FLUSHALL. But it is told, nothing is sold again, and one command ends
// it.
test.skipIf(!postgresInstalled)(
  'sale: FLUSHALL while people buy is told; given up, its orders stay, the rest goes back to the shop, and it is settled',
  () =>
    pool.lend(async (deployment) => {
      const { context, gatewayUrls, rain } = deployment;
      const saleId = `flush-${randomBytes(3).toString('hex')}`;
      await openFaultSale(context, saleId, { windowMs: 60_000 });
      const buyers = new HonestBuyers(gatewayUrls, saleId);
      try {
        const arrived = arrive(saleId, buyers);
        await eventually(async () => (await context.ledger.orderCounts(saleId)).orders > 5, { timeoutMs: 20_000 });
        await context.redis.flushall();
        await arrived;
        expect(await findLostSales(context)).toEqual([saleId]);
        await rain('sale', 'write-off', saleId, '--reason', 'Redis was flushed by mistake');
        await eventually(async () => expect((await context.ledger.sale(saleId))!.settledAt).toBeDefined(), {
          timeoutMs: 90_000,
          everyMs: 500,
        });
        const [{ accounts, orders }] = (await context.ledger.stock(saleId)) as [BookedStock];
        expect(accounts).toEqual({ shop: 0, available: 0, reserved: 0, sold: 0 });
        expect(orders).toBeGreaterThan(5);
        const told = new Set(buyers.told().map(({ userId, reservationId }) => `${userId} ${reservationId}`));
        for (const { id, userId } of await context.ledger.orders({ saleId })) expect(told).toContain(`${userId} ${id}`);
        expect((await auditSale(context, saleId))!.report.balanced).toBe(true);
      } finally {
        await buyers.leave();
        await deployment.heal();
      }
    }),
  180_000,
);
