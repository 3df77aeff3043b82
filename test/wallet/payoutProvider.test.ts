import { afterAll, beforeAll, expect, test } from 'vitest';
import { payoutProviderOf } from '../../src/bin/servers/payoutProvider.ts';
import { createLaterQueue } from '../../src/credit/queue.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { showRain } from '../../src/operator/list.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { SECRET, startWallet, type Wallet } from '../credit/wallet.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { openWorker } from '../support/servers/worker.ts';
import { openPlayers, wonRain } from './room.ts';

let context: TestContext;
let wallet: Wallet;
let webhook: Record<string, string>;
beforeAll(async () => {
  [context, wallet] = await Promise.all([openTestContext(), startWallet()]);
  webhook = { PAYOUT_PROVIDER: 'webhook', WEBHOOK_URL: wallet.url, WEBHOOK_SECRET: SECRET };
});
afterAll(async () => {
  await wallet?.stop();
  await context?.stop();
});

const booked = async (rainId: string) => (await context.ledger.credits(rainId)).map(({ userId }) => userId).sort();

test('[R5] a rain of an external wallet is never paid by a process with another PAYOUT_PROVIDER, and completely by those with this one', async () => {
  await wonRain(context, 'split', ['dora', 'emil']);
  const [right, wrong] = [openPlayers(context, webhook), openPlayers(context)];
  const connection = await connect(context.redisUrl);
  const later = createLaterQueue({ connection, prefix: QUEUE_PREFIX, onError: () => {} });
  try {
    await eventually(async () =>
      expect((await right.statementOf('dora')).packets).toMatchObject([{ status: 'credited' }]),
    );
    expect((await showRain(context, 'split'))!.payoutProvider).toBe('webhook');
    expect((await wrong.statementOf('emil')).packets).toMatchObject([{ status: 'pending' }]);

    const stranger = await openWorker(context);
    // It has taken the claims and put them off.
    await eventually(async () => expect(await later.getJobCountByTypes('delayed')).toBeGreaterThan(0));
    expect(await booked('split')).toEqual(['dora']);
    await stranger.close();

    const worker = await openWorker(context, { keep: payoutProviderOf(loadConfig([], webhook)) });
    await eventually(async () => expect(await booked('split')).toEqual(['dora', 'emil']));
    await closeRain(context, 'split');
    await eventually(async () => expect((await context.ledger.rain('split'))!.settledAt).toBeDefined());
    await worker.close();
  } finally {
    await later.close();
    connection.disconnect();
    await Promise.all([right.close(), wrong.close()]);
  }
  expect([...wallet.paid.values()].map(({ userId, amount }) => [userId, amount]).sort()).toEqual([
    ['dora', '1.00'],
    ['emil', '1.00'],
  ]);
});

test('[R5] a rain that was assigned before claim ids named user and amount keeps its ids, and new rains get the new ones', async () => {
  const [older] = await wonRain(context, 'older', ['hal']);
  await context.ledger.assignPayout('older', 'webhook');
  const [newer] = await wonRain(context, 'newer', ['ivy']);
  const players = openPlayers(context, webhook);
  try {
    for (const user of ['hal', 'ivy'])
      await eventually(async () =>
        expect((await players.statementOf(user)).packets).toMatchObject([{ status: 'credited' }]),
      );
  } finally {
    await players.close();
  }
  expect([wallet.paymentOf(older!.redPacketId)!.claimId, wallet.paymentOf(newer!.redPacketId)!.claimId]).toEqual([
    older!.redPacketId,
    `${newer!.redPacketId}:ivy:1.00`,
  ]);
  expect([
    (await context.ledger.rain('older'))!.payoutProvider,
    (await context.ledger.rain('newer'))!.payoutProvider,
  ]).toEqual(['webhook', 'webhook_v2']);
  for (const id of ['older', 'newer']) expect((await showRain(context, id))!.payoutProvider).toBe('webhook');
});

test('a wallet that says "done" and gives no receipt is believed only where WEBHOOK_RECEIPTS says so', async () => {
  const [claim] = await wonRain(context, 'bare', ['kai']);
  wallet.plan(claim!.redPacketId, ['lie'], true);
  const [strict, trusting] = [
    openPlayers(context, webhook),
    openPlayers(context, { ...webhook, WEBHOOK_RECEIPTS: 'trust_status' }),
  ];
  try {
    await eventually(async () => {
      expect((await strict.statementOf('kai')).packets).toMatchObject([{ status: 'pending' }]);
      expect(wallet.asksOf(claim!.redPacketId)).toBe(1);
    });
    expect(await booked('bare')).toEqual([]);
    await eventually(async () =>
      expect((await trusting.statementOf('kai')).packets).toMatchObject([{ status: 'credited' }]),
    );
  } finally {
    await Promise.all([strict.close(), trusting.close()]);
  }
});

test('[R5] no wallet is asked to pay a rain of our own ledger', async () => {
  await wonRain(context, 'home', ['fay', 'gus']);
  const [home, away] = [openPlayers(context), openPlayers(context, webhook)];
  const asked = wallet.paid.size;
  try {
    await eventually(async () =>
      expect((await home.statementOf('fay')).packets).toMatchObject([{ status: 'credited' }]),
    );
    expect((await away.statementOf('gus')).packets).toMatchObject([{ status: 'pending' }]);
    await eventually(async () =>
      expect((await home.statementOf('gus')).packets).toMatchObject([{ status: 'credited' }]),
    );
  } finally {
    await Promise.all([home.close(), away.close()]);
  }
  expect([wallet.paid.size, await booked('home')]).toEqual([asked, ['fay', 'gus']]);
});
