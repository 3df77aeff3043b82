import { afterAll, beforeAll, expect, test } from 'vitest';
import { keeperOf } from '../../src/bin/servers/keeper.ts';
import { createLaterQueue } from '../../src/credit/queue.ts';
import { QUEUE_PREFIX } from '../../src/grab/keys.ts';
import { showRain } from '../../src/operator/list.ts';
import { closeRain } from '../../src/operator/steer.ts';
import { loadConfig } from '../../src/runtime/config.ts';
import { SECRET, startWallet, type Wallet } from '../credit/wallet.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { openWorker } from '../support/worker.ts';
import { openPlayers, wonRain } from './room.ts';

let desk: TestDesk;
let wallet: Wallet;
let webhook: Record<string, string>;
beforeAll(async () => {
  [desk, wallet] = await Promise.all([openTestDesk(), startWallet()]);
  webhook = { BALANCE: 'webhook', WEBHOOK_URL: wallet.url, WEBHOOK_SECRET: SECRET };
});
afterAll(async () => {
  await wallet?.stop();
  await desk?.stop();
});

const booked = async (rainId: string) => (await desk.ledger.credits(rainId)).map(({ userId }) => userId).sort();

test('[R5] a rain that is paid by a wallet elsewhere is paid by nobody who has another BALANCE, and wholly by those who have this one', async () => {
  await wonRain(desk, 'split', ['dora', 'emil']);
  const [right, wrong] = [openPlayers(desk, webhook), openPlayers(desk)];
  const connection = await connect(desk.redisUrl);
  const later = createLaterQueue({ connection, prefix: QUEUE_PREFIX, onError: () => {} });
  try {
    await eventually(async () => expect((await right.purseOf('dora')).packets).toMatchObject([{ status: 'credited' }]));
    expect((await showRain(desk, 'split'))!.keeper).toBe('webhook');
    expect((await wrong.purseOf('emil')).packets).toMatchObject([{ status: 'pending' }]);

    const stranger = await openWorker(desk);
    // It has taken the claims and put them off.
    await eventually(async () => expect(await later.getJobCountByTypes('delayed')).toBeGreaterThan(0));
    expect(await booked('split')).toEqual(['dora']);
    await stranger.close();

    const worker = await openWorker(desk, { keep: keeperOf(loadConfig([], webhook)) });
    await eventually(async () => expect(await booked('split')).toEqual(['dora', 'emil']));
    await closeRain(desk, 'split');
    await eventually(async () => expect((await desk.ledger.rain('split'))!.settledAt).toBeDefined());
    await worker.close();
  } finally {
    await later.close();
    connection.disconnect();
    await Promise.all([right.close(), wrong.close()]);
  }
  expect([...wallet.paid.values()].map(({ userId, amount }) => [userId, amount]).sort()).toEqual([['dora', '1.00'], ['emil', '1.00']]);
});

test('[R5] and one that our own book has begun to pay is asked of no wallet', async () => {
  await wonRain(desk, 'home', ['fay', 'gus']);
  const [home, away] = [openPlayers(desk), openPlayers(desk, webhook)];
  const asked = wallet.paid.size;
  try {
    await eventually(async () => expect((await home.purseOf('fay')).packets).toMatchObject([{ status: 'credited' }]));
    expect((await away.purseOf('gus')).packets).toMatchObject([{ status: 'pending' }]);
    await eventually(async () => expect((await home.purseOf('gus')).packets).toMatchObject([{ status: 'credited' }]));
  } finally {
    await Promise.all([home.close(), away.close()]);
  }
  expect([wallet.paid.size, await booked('home')]).toEqual([asked, ['fay', 'gus']]);
});
