import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startSaleSettler } from '../../src/maintenance/saleSettler.ts';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { repairSale } from '../../src/operator/sale/repair.ts';
import { announceRefused } from '../../src/orders/announce.ts';
import { startFollower } from '../../src/orders/follower.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { closeSale, settleSaleKeys } from '../../src/store/saleEnd.ts';
import { LIVE_SALES_KEY, saleKeys } from '../../src/store/saleKeys.ts';
import { liveSales, readSale } from '../../src/store/sales.ts';
import { openedSale, reserveTees, writeLog } from '../orders/saleStage.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { signer } from '../support/signer.ts';

let context: TestContext;
const working: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(working.splice(0).map((part) => part.close()));
});
afterAll(() => context?.stop());

const log = createLog('settler', 'silent');
function startSettling(differing: Partial<Parameters<typeof startSaleSettler>[0]> = {}): void {
  working.push(startSaleSettler({ context, log, everyMs: 10, tidyMs: 20, ...differing }));
}

test.each([
  ['paid', { booked: 1, sold: 1, returned: 9 }],
  ['timed_out', { booked: 0, sold: 0, returned: 10 }],
] as const)(
  'a number that Redis has lost and drawn again, whose first order is %s, does not keep its sale from the settlement',
  async (status, counts) => {
    const id = `redrawn-${status}`;
    await openedSale(context, id);
    await reserveTees(context, id, 1);
    await writeLog(context, id);
    const { state, stock, buyers, reservations } = saleKeys(id);
    await context.redis.del(buyers, reservations);
    await context.redis.hset(state, 'made', 0);
    await context.redis.hset(stock, 'tee:booked', 0);
    expect(await reserveTees(context, id, 1, 2)).toEqual([`${id}-1`]);
    const refused = await context.ledger.refuseReservations([
      {
        saleId: id,
        reservationId: `${id}-1`,
        userId: 'u2',
        sku: 'tee',
        quantity: 1,
        reason: 'differs',
        detail: 'u1 has it',
      },
    ]);
    await announceRefused(context.redis, signer, id, refused);
    expect(await auditSale(context, id)).toMatchObject({ problems: [], tampering: [] });
    await context.ledger.stepOrder(`${id}-1`, status);
    expect(await auditSale(context, id)).toMatchObject({ problems: [], tampering: [] });
    expect(await closeSale(context.redis, id, 'early')).toBe(true);
    await context.ledger.sealSale(id);
    startSettling();
    working.push(startFollower({ redis: context.redis, ledger: context.ledger, signer, log, everyMs: 10 }));
    const field = status === 'paid' ? 'sold' : 'booked';
    // An honest sale: it is no tampering.
    await eventually(async () =>
      expect(await auditSale(context, id)).toMatchObject({
        tampering: [],
        problems: [expect.stringContaining(`tee as ${field}; by the log and the ledger they are ${counts[field]}`)],
      }),
    );
    expect((await context.ledger.sale(id))!.settledAt).toBeUndefined();
    expect(await repairSale(context, id, async () => {})).toMatchObject({
      ok: true,
      counts: [{ field: `tee:${field}`, right: counts[field] }],
    });
    await eventually(async () =>
      expect(await readSale(context.redis, id)).toMatchObject({ state: 'settled', items: [counts, {}] }),
    );
    expect((await context.ledger.sale(id))!.settledAt).toBeDefined();
  },
);

test('a ledger that was restored to before the settlement gets the orders of the sale again: Redis keeps it, and it is not called lost', async () => {
  const over = { opensAt: Date.now() - 9_000, closesAt: Date.now() - 1_000 };
  const { log: heardLog, heard } = listeningLog();
  const settledInRedis = async (id: string) => {
    await openedSale(context, id, over);
    await closeSale(context.redis, id, 'early');
    expect(await settleSaleKeys(context.redis, id, { title: id }, { seen: 0, ttlMs: 60_000 })).toBe(true);
  };
  // It has looked at the index before, and does not look again.
  let tidied = 0;
  const overdueSales: typeof context.ledger.overdueSales = (...which) => (
    tidied++,
    context.ledger.overdueSales(...which)
  );
  // It rests while the sale is settled by hand: otherwise it may audit it before it is out of the index.
  let sinceReconnect = Infinity;
  startSettling({
    log: heardLog,
    relistMs: 1_000_000,
    context: { ...context, ledger: { ...context.ledger, overdueSales } },
    sinceReconnect: () => sinceReconnect,
  });
  await eventually(() => tidied > 0);
  sinceReconnect = 0;
  await settledInRedis('before');
  sinceReconnect = Infinity;
  await openedSale(context, 'after', { ...over, closesAt: over.closesAt + 1 });
  await context.redis.del(saleKeys('after').state);
  await context.redis.hdel(LIVE_SALES_KEY, 'after');
  // It may have seen it without its state first, and then without its place in the index.
  await eventually(() => heard.some(({ saleId }) => saleId === 'after'));
  expect(heard.filter(({ saleId }) => saleId === 'before')).toEqual([]);
  startSettling({ log: heardLog });
  await eventually(async () => expect((await liveSales(context.redis)).has('before')).toBe(true));
  const { state, stock } = saleKeys('before');
  expect([await context.redis.pttl(state), await context.redis.pttl(stock)]).toEqual([-1, -1]);
  expect(heard.filter(({ saleId }) => saleId === 'before').map(({ msg }) => msg)).not.toContainEqual(
    expect.stringContaining('lost'),
  );
});
