import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { startPair, type TestPair } from '../support/servers/replica.ts';
import { openPlayers, wonRain } from './room.ts';
import { signer } from '../support/signer.ts';

let pair: TestPair;
let book: TestDatabase;
beforeAll(async () => {
  [pair, book] = await Promise.all([startPair(), startDatabase()]);
});
afterAll(async () => {
  await pair?.stop();
  await book?.stop();
});

test('[R4] a win that no replica has is not credited on request, and is as soon as one has it', async () => {
  const database = connectDatabase(book.url);
  const redis = await connect(pair.master.url);
  const players = openPlayers(
    { redisUrl: pair.master.url, databaseUrl: book.url },
    { DURABILITY: 'replicas=1', DURABILITY_WAIT_MS: '300' },
  );
  try {
    const context = { redis, ledger: openLedger(database), signer, actor: 'test' };
    await eventually(async () => expect((await players.statementOf('ann')).settled).toBe(true));
    pair.link.blackhole();
    await wonRain(context, 'replicated', ['ann']);
    // Which rains there are is remembered for a moment.
    await eventually(async () =>
      expect(await players.statementOf('ann')).toMatchObject({
        wallet: '0.00',
        pending: '1.00',
        packets: [{ status: 'pending' }],
      }),
    );
    expect(await context.ledger.credits('replicated')).toEqual([]);
    pair.link.pass();
    await eventually(async () =>
      expect(await players.statementOf('ann')).toMatchObject({ wallet: '1.00', pending: '0.00' }),
    );
  } finally {
    await players.close();
    redis.disconnect();
    await database.$disconnect();
  }
});
