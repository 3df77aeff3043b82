import { afterAll, beforeAll, expect, test } from 'vitest';
import { payoutProviderOf } from '../../src/bin/servers/payoutProvider.ts';
import { startWorker } from '../../src/bin/servers/worker.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { SECRET, startWallet, type Wallet } from '../credit/wallet.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { signer } from '../support/signer.ts';

let context: TestContext;
let wallet: Wallet;
beforeAll(async () => {
  [context, wallet] = await Promise.all([openTestContext(), startWallet()]);
});
afterAll(async () => {
  await wallet?.stop();
  await context?.stop();
});

test('[R8] with PAYOUT_PROVIDER=webhook a win is pending until the wallet has acknowledged it, then credited, and the rain is settled', async () => {
  const config = loadConfig([], { PAYOUT_PROVIDER: 'webhook', WEBHOOK_URL: wallet.url, WEBHOOK_SECRET: SECRET });
  const now = await redisNow(context.redis);
  await createRain(context, {
    id: 'hook',
    plan: { budget: '5.00', packets: 5, split: { method: 'even' } },
    opensAt: now - 1,
    closesAt: now + 600_000,
  });
  await loadRain(context, 'hook');
  await createGrabEngine(context.redis, () => {}).grab('hook', 0, ['ann', 'bob', 'cleo']);
  const claimId = (await claimLog(context, 'hook'))[1]!.redPacketId;
  wallet.plan(claimId, [{ status: 503 }], true);
  const worker = await startWorker(context.redisUrl, context.databaseUrl, createLog('worker', 'silent'), {
    signer,
    keep: payoutProviderOf(config),
  });
  try {
    await eventually(
      async () =>
        expect((await auditRain(context, 'hook'))!.report).toMatchObject({
          credited: '2.00',
          pending: '1.00',
          unclaimed: '2.00',
          balanced: true,
        }),
      { timeoutMs: 20_000 },
    );
    await closeRain(context, 'hook');
    wallet.plan(claimId, []);
    await eventually(async () => expect((await context.ledger.rain('hook'))!.settledAt).toBeDefined(), {
      timeoutMs: 20_000,
    });
  } finally {
    await worker.close();
  }
  expect((await auditRain(context, 'hook'))!.report).toMatchObject({
    credited: '3.00',
    pending: '0.00',
    recycled: '2.00',
    balanced: true,
  });
  expect([...wallet.paid.values()].map(({ userId, amount }) => [userId, amount]).sort()).toEqual([
    ['ann', '1.00'],
    ['bob', '1.00'],
    ['cleo', '1.00'],
  ]);
});
