import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { examineDatabase } from '../../src/ledger/databaseCheck.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { execute, postgresInstalled } from '../support/servers/postgres.ts';
import { newSale, reservationOf, startClock } from './contract-sales.ts';
import { startWithRoles } from './deployedRoles.ts';

/** The rights of the roles of deploy/postgresql in sales: one is for console and command line, one for workers. */
describe.skipIf(!postgresInstalled)('the roles of the servers, in sales', () => {
  let server: Awaited<ReturnType<typeof startWithRoles>>;
  let operators: Database;
  let workers: Database;
  const urlOf = (role: string) => server.urlOf(role);

  beforeAll(async () => {
    startClock();
    server = await startWithRoles();
    operators = connectDatabase(urlOf('rain'));
    workers = connectDatabase(urlOf('rain_worker'));
  });
  afterAll(async () => {
    await Promise.all([operators?.$disconnect(), workers?.$disconnect()]);
    await server?.stop();
  });

  test('operators create, move, top up and end a sale, and step its orders; workers write, step and follow them, and settle', async () => {
    const [operator, worker] = [openLedger(operators), openLedger(workers)];
    const sale = newSale('spring');
    expect(await operator.createSale(sale, 'ann')).toEqual({ outcome: 'created' });
    expect(
      await operator.addStock({ id: 'spring/1', saleId: 'spring', sku: 'tee', units: 5 }, 'ann', 1_000),
    ).toMatchObject({ outcome: 'added' });
    expect(
      await operator.rescheduleSale(
        'spring',
        { opensAt: sale.opensAt - 1_000, closesAt: sale.closesAt - 1_000 },
        { actor: 'ann', verb: 'start' },
        sale,
      ),
    ).toBe(true);
    await worker.writeOrders(
      [1, 2, 3].map((n) => reservationOf('spring', n, n === 3 ? { at: String(sale.opensAt) } : {})),
    );
    expect(await worker.stepOrder('spring-1', 'paid')).toMatchObject({ outcome: 'done' });
    expect(await worker.expireOrders(10)).toBe(1);
    expect(await operator.stepOrderByHand('spring-1', 'refunded', { actor: 'ann', reason: 'broken' })).toMatchObject({
      outcome: 'done',
    });
    expect(await operator.stepOrderByHand('spring-2', 'cancelled', { actor: 'ann', reason: 'asked' })).toMatchObject({
      outcome: 'done',
    });
    await worker.markFollowed((await worker.unfollowedOrders('spring', 10)).map(({ id, status }) => ({ id, status })));
    expect(await worker.unfollowedOrders('spring', 10)).toEqual([]);
    await operator.sealSale('spring');
    await worker.settleSale('spring');
    expect((await worker.stock('spring'))[0]).toMatchObject({
      sku: 'tee',
      units: 15,
      accounts: { shop: 0, available: 0, reserved: 0, sold: 0 },
    });
    expect(await worker.stockFaults('spring')).toMatchObject({ orders: [], beyond: [], orderCount: 3, buyers: 3 });
  });

  test('[R8][R14] neither moves stock, changes what an order is about, or changes what was written; a worker makes no sale', async () => {
    await openLedger(operators).createSale(newSale('firm'), 'ann');
    const forbidden = [
      `UPDATE "StockAccount" SET "units" = 99`,
      `INSERT INTO "StockTransfer" ("id", "saleId", "sku", "from", "to", "units") VALUES ('x', 'firm', 'tee', 'shop', 'available', 5)`,
      'DELETE FROM "SaleOrder"',
      `UPDATE "SaleOrder" SET "quantity" = 2`,
      `UPDATE "SaleItem" SET "units" = 99`,
      `UPDATE "SaleTopUp" SET "units" = 99`,
      `UPDATE "Sale" SET "perUserMax" = 99`,
      'SELECT supply_items()',
    ];
    const ofWorkers = [
      `INSERT INTO "Sale" ("id", "title", "opensAt", "closesAt", "holdMs") VALUES ('mine', '', now(), now() + interval '1 hour', 5)`,
      `INSERT INTO "SaleTopUp" ("id", "saleId", "sku", "ordinal", "units") VALUES ('x', 'firm', 'tee', 1, 5)`,
      `UPDATE "Sale" SET "closesAt" = now() + interval '1 year'`,
    ];
    for (const sql of forbidden) await expect(execute(urlOf('rain'), sql), sql).rejects.toThrow('permission denied');
    for (const sql of [...forbidden, ...ofWorkers])
      await expect(execute(urlOf('rain_worker'), sql), sql).rejects.toThrow('permission denied');
  });

  test('each has the rights that the doctor asks for', async () => {
    expect((await examineDatabase(urlOf('rain'))).privilegesMissing.operator).toEqual([]);
    expect((await examineDatabase(urlOf('rain_worker'))).privilegesMissing.worker).toEqual([]);
  });
});
