import { expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../src/ledger/database.ts';
import { proxyDatabase, startDatabase } from '../support/servers/database.ts';

test('a database that could not be reached by the first query is reached by the next one', async () => {
  const { url, stop } = await startDatabase();
  onTestFinished(() => stop());
  const { line, url: proxied } = await proxyDatabase(url);
  onTestFinished(() => line.close());
  const database = connectDatabase(proxied);
  onTestFinished(() => database.$disconnect());
  line.refuse();
  const first = await Promise.allSettled([
    database.$queryRaw`SELECT 1`,
    database.$transaction((book) => book.$queryRaw`SELECT 1`),
  ]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  line.pass();
  expect(await database.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  expect(await database.$transaction((book) => book.$queryRaw`SELECT 2 AS two`)).toEqual([{ two: 2 }]);
});
