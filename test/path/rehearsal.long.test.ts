import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhookProviders } from '../../src/credit/webhookProvider.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { listRains, showRain } from '../../src/operator/list.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import type { WorkerProcess } from '../../src/bin/servers/worker.ts';
import { startWallet, SECRET as WALLET_SECRET, type Wallet } from '../credit/wallet.ts';
import { SECRET, dial } from '../support/client.ts';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openWorker } from '../support/servers/worker.ts';

let context: TestContext;
let gateway: Gateway;
let wallet: Wallet;
let worker: WorkerProcess;

beforeAll(async () => {
  [context, wallet] = await Promise.all([openTestContext(), startWallet()]);
  gateway = await openGateway(context.redisUrl);
  worker = await openWorker(context, {
    keep: (ledger) => ({
      payoutProvider: 'webhook_v2',
      balance: webhookProviders(ledger, {
        url: wallet.url,
        secret: WALLET_SECRET,
        receipts: 'required',
        batchMax: 10,
        timeoutMs: 5_000,
      }).webhook_v2,
    }),
  });
});
afterAll(async () => {
  await worker?.close();
  await gateway?.close();
  await wallet?.stop();
  await context?.stop();
});

async function play(id: string, terms: { rehearsal?: boolean }): Promise<void> {
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, {
      id,
      plan: { budget: '3.00', packets: 3, split: { method: 'even' } },
      opensAt: now - 1_000,
      closesAt: now + 60_000,
      terms,
    }),
  ).toMatchObject({ ok: true });
  await loadRain(context, id);
}

test('[R8] a rehearsal is played, credited and settled like a rain, and the external wallet and all real accounts stay unchanged', async () => {
  await play('trial', { rehearsal: true });
  const client = await dial(gateway.url, 'ann');
  client.say({ type: 'join', rainId: 'trial' });
  expect(await client.next('rain')).toMatchObject({ rainId: 'trial', rehearsal: true, terms: { rehearsal: true } });
  client.say({ type: 'grab', rainId: 'trial' });
  expect(await client.next('result')).toMatchObject({ code: '0', amount: '1.00' });
  expect(await client.next('credited')).toMatchObject({ rainId: 'trial', amount: '1.00' });
  await client.leave();
  await closeRain(context, 'trial');
  await eventually(async () => (await showRain(context, 'trial'))!.state === 'settled');
  expect((await auditRain(context, 'trial'))!.report).toMatchObject({
    rehearsal: true,
    credited: '1.00',
    recycled: '2.00',
    balanced: true,
  });
  expect((await listRains(context)).rains[0]).toMatchObject({ rainId: 'trial', terms: { rehearsal: true } });
  expect(await context.ledger.walletStatement('ann', undefined, 100)).toEqual({ balanceCents: 0n, packets: [] });
  expect(wallet.paid.size).toBe(0);
  expect(await context.ledger.sumOfBalances()).toBe(0n);
});

test('a real rain beside it is paid by the wallet and is not marked as a rehearsal', async () => {
  await play('real', {});
  const client = await dial(gateway.url, 'bob');
  client.say({ type: 'join', rainId: 'real' });
  expect(await client.next('rain')).not.toHaveProperty('rehearsal');
  client.say({ type: 'grab', rainId: 'real' });
  expect(await client.next('credited')).toMatchObject({ amount: '1.00' });
  await client.leave();
  expect(wallet.paid.size).toBe(1);
  expect(await context.ledger.balance('bob')).toBe(100n);
});

test('rain rehearse plays a whole rehearsal against the running gateway and reports whether its money adds up', async () => {
  const env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl, JWT_SECRET: SECRET };
  const run = await rain(
    ['rehearse', '--url', gateway.url, '--users', '20', '--packets', '5', '--budget', '10.00', '--duration', '3s'],
    env,
  );
  expect(run.stdout).toContain(
    'The money adds up: 10.00 in 5 packets, 5 winners. It was a rehearsal: no real money moved.',
  );
  expect(run.exit).toBe(0);
  expect((await rain(['list'], env)).stdout).toContain('Rehearsal (rehearsal)');
  expect(wallet.paid.size).toBe(1);
}, 60_000);
