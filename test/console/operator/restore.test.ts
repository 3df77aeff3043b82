import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { restoreApi } from '../../../src/console/contract/restore.ts';
import { systemApi } from '../../../src/console/contract/system.ts';
import { writeEpoch } from '../../../src/store/epoch.ts';
import { hold } from '../../../src/store/holds.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { claimLog } from '../../support/operatorContext.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
let vera: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
});
beforeEach(async () => {
  await testConsole.redis.flushall();
  vera = await testConsole.signIn('vera');
});
afterAll(() => testConsole?.stop());

const stores = async () => systemApi.system.answer.parse((await vera.ask('GET', '/api/console/system')).body).stores;
const check = async (query = '') =>
  restoreApi.check.answer.parse((await vera.ask('GET', `/api/console/restore/check${query}`)).body);

/** Three won, of them two credited. */
async function creditedTwo(id: string): Promise<void> {
  await testConsole.wonRain(id, 3);
  await testConsole.ledger.credit((await claimLog(testConsole, id)).slice(0, 2));
}

test('the console says which store is older, also while no worker runs', async () => {
  const { storeId, counter } = await testConsole.ledger.nextEpoch();
  await writeEpoch(testConsole.redis, { storeId, counter: counter + 100 }, undefined);
  expect(await stores()).toEqual({ behind: ['ledger'], compared: true, lost: [] });
  await testConsole.redis.flushall();
  vera = await testConsole.signIn('vera');
  expect(await stores()).toEqual({ behind: [], compared: false, lost: [] });
  await writeEpoch(testConsole.redis, { storeId, counter: counter - 1 }, undefined);
  for (let step = 0; step < 5; step++) await testConsole.ledger.nextEpoch();
  expect(await stores()).toMatchObject({ behind: ['redis'] });
  await writeEpoch(testConsole.redis, await testConsole.ledger.nextEpoch(), undefined);
  expect(await stores()).toEqual({ behind: [], compared: false, lost: [] });
});

test('a held rain tells the older store as well, and a rain that Redis has lost is named', async () => {
  await creditedTwo('held');
  await creditedTwo('gone');
  await hold(testConsole.redis, 'held', 1, 'ledger_behind');
  await testConsole.redis.del(shardKeys('gone', 0).state);
  expect(await stores()).toMatchObject({ behind: ['ledger'], lost: ['gone'] });
});

test('a viewer compares the stores, and is told what to do; nothing changes', async () => {
  await creditedTwo('older');
  await testConsole.redis.del(shardKeys('older', 0).claims, shardKeys('older', 0).claimed);
  const found = await check('?rainId=older');
  expect(found).toMatchObject({
    agree: false,
    compared: 1,
    complete: true,
    rains: [
      {
        rainId: 'older',
        title: 'Rain older',
        counts: { credit_not_in_log: 2 },
        waysOut: { credit_not_in_log: 'rain restore apply older' },
      },
    ],
  });
  expect(found.rains[0]!.differences).toMatchObject([
    { kind: 'credit_not_in_log', userId: 'user-0', redPacketId: 'older-0', amount: '1.00' },
    { userId: 'user-1' },
  ]);
  expect((await check()).rains.map(({ rainId }) => rainId)).toContain('older');
  expect(await testConsole.redis.exists(shardKeys('older', 0).claims)).toBe(0);
  expect(await vera.ask('GET', '/api/console/restore/check?rainId=nowhere')).toMatchObject({
    status: 404,
    body: { code: 'no_such_rain' },
  });
});

test('[R10] one check at a time, of whomever', async () => {
  const statuses = (
    await Promise.all(Array.from({ length: 8 }, () => vera.ask('GET', '/api/console/restore/check')))
  ).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});
