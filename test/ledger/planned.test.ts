import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import { execute } from '../support/servers/postgres.ts';
import { claimOf, newRain } from './claims.ts';

let database: TestDatabase;
let client: Database;
let ledger: Ledger;
beforeAll(async () => {
  database = await startDatabase();
  client = connectDatabase(database.url);
  ledger = openLedger(client);
});
afterAll(async () => {
  await client?.$disconnect();
  await database?.stop();
});

test('[R14] nobody adds a packet to a rain that no top-up has planned and paid', async () => {
  const split = { budget: '1.00', packets: 10, split: { method: 'even' } };
  await ledger.createRain(newRain('spare', 100n, { split, shards: 1 }), 'ann');
  const eight = (cents: number) => `decode('${cents.toString(16).padStart(16, '0')}', 'hex')`;
  const allocation = (ordinal: number, first: number, cents = 50) =>
    `INSERT INTO "Allocation" VALUES ('spare', ${ordinal}, ${first}, ${eight(cents)});`;
  const topUp = (ordinal: number, { packets = 1, cents = 50 } = {}) =>
    `INSERT INTO "Portion" ("id", "rainId", "ordinal", "budgetCents", "packets", "split", "seed", "commitment")
     VALUES ('thief-${ordinal}', 'spare', ${ordinal}, ${cents}, ${packets}, '{}', 's', 'c');`;
  const fund = (ordinal: number, cents = 50) =>
    `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId")
     VALUES ('fund:spare/${ordinal}', 'fund', 'operator', 'rain:spare', ${cents}, 'spare');`;
  // A top-up of an earlier transaction is not one of this.
  await execute(database.url, topUp(9));
  for (const sql of [
    allocation(31, 10),
    allocation(9, 10),
    fund(9) + allocation(9, 10),
    topUp(1) + allocation(1, 10),
    topUp(1) + fund(1, 1) + allocation(1, 10),
    topUp(1, { packets: 2 }) + fund(1) + allocation(1, 10),
    topUp(1, { cents: 1 }) + fund(1, 1) + allocation(1, 10),
    topUp(1) + fund(1) + allocation(1, 3),
    topUp(1) + fund(1) + allocation(1, 11),
    `SET CONSTRAINTS ALL IMMEDIATE; ${allocation(1, 10)}${topUp(1)}${fund(1)}`,
    `UPDATE "Rain" SET "packets" = 1 WHERE "id" = 'spare'; ${allocation(0, 0)}`,
  ])
    await expect(execute(database.url, sql), sql).rejects.toThrow(/are not planned|duplicate key/);
  // As it is done, in either order.
  await execute(database.url, topUp(1) + allocation(1, 10) + fund(1));
  await execute(database.url, fund(2) + topUp(2) + allocation(2, 11));
});

test('[R14] nobody gives packets to a rain from before packets were allocated, once some of it is won', async () => {
  const rain = (id: string) =>
    `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt")
     VALUES ('${id}', '', 100, 10, '{}', 's', now(), now() + interval '1 hour');
     INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId")
     VALUES ('fund:${id}', 'fund', 'operator', 'rain:${id}', 100, '${id}');`;
  await execute(database.url, rain('former'));
  await ledger.credit([claimOf('former', 0)]);
  const all = (id: string, packets: number) =>
    `INSERT INTO "Allocation" VALUES ('${id}', 0, 0, decode(repeat('000000000000000a', ${packets}), 'hex'))`;
  await expect(execute(database.url, all('former', 10))).rejects.toThrow('packets of the rain have been won');
  await expect(execute(database.url, `${rain('fewer')}${all('fewer', 9)}`)).rejects.toThrow(
    'the rain has another number of packets',
  );
  await execute(database.url, `${rain('whole')}${all('whole', 10)}`);
});
