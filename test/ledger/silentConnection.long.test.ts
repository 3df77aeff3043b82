import { expect, onTestFinished, test } from 'vitest';
import { deadlineIn } from '../../src/platform/concurrency/deadline.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { eventually } from '../support/eventually.ts';
import { proxyDatabase, startDatabase } from '../support/servers/database.ts';

// A firewall that has forgotten a connection: nothing ever comes back and nobody says so.

test.concurrent.each(['before', 'in'] as const)(
  'a connection on which nothing comes back %s a transaction costs the deadline of one statement',
  { timeout: 90_000 },
  async (when) => {
    const server = await startDatabase();
    onTestFinished(() => server.stop());
    const { line, url } = await proxyDatabase(server.url);
    onTestFinished(() => line.close());
    const database = connectDatabase(url, { connectionsMax: 1 });
    onTestFinished(() => database.$disconnect());
    await database.$queryRaw`SELECT 1`;
    if (when === 'before') line.halfOpen();
    const lost = database.$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT 1`;
      line.halfOpen();
      await transaction.$queryRaw`SELECT 2`;
    });
    // The deadline is 20 s; the statement that would end the transaction must not wait for as long once more.
    const soon = deadlineIn(35_000);
    expect(await soon.within(lost.catch(() => 'rejected'))).toBe('rejected');
    await eventually(() => database.$queryRaw`SELECT 3`, { timeoutMs: soon.leftMs() });
  },
);
