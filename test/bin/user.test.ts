import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSale, reservationOf } from '../ledger/contract-sales.ts';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
  await context.ledger.createSale(newSale('shop'), 'ann');
  await context.ledger.writeOrders([reservationOf('shop', 1, { userId: 'alice' })]);
});
afterAll(() => context.stop());

test('rain user export prints everything as JSON; erase is refused while a sale is open, then done, and safe to repeat', async () => {
  expect(JSON.parse((await rain(['user', 'export', 'alice'], env)).stdout)).toMatchObject({
    userId: 'alice',
    orders: [{ id: 'shop-1' }],
    complete: true,
  });
  const refused = await rain(['user', 'erase', 'alice'], env);
  expect(refused).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('id: this user takes part in the sale shop') as string,
  });
  await context.ledger.stepOrder('shop-1', 'cancelled');
  await context.ledger.sealSale('shop');
  await context.ledger.settleSale('shop');
  expect((await rain(['user', 'erase', 'alice'], env)).stdout).toMatch(
    /^erased: \d+ rows have a pseudonym in place of the id\n$/,
  );
  expect(JSON.parse((await rain(['user', 'erase', 'alice', '--json'], env)).stdout)).toEqual({ rows: 0 });
  expect((await rain(['actions', '--json'], env)).stdout).toContain('erase-user');
  expect((await rain(['actions', '--json'], env)).stdout).not.toContain('alice');
});

test('[R12] an id that nobody can have is refused by name', async () => {
  expect(await rain(['user', 'erase', 'a\nb'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('id: expected 1 to 128 printable characters') as string,
  });
});
