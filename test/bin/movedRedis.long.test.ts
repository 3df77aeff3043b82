import { expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { redisNow } from '../../src/store/rains.ts';
import { dial } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { signer } from '../support/signer.ts';
import { startDatabase } from '../support/servers/database.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { startMovingRedis } from '../support/servers/movingRedis.ts';
import { openWorker } from '../support/servers/worker.ts';

const PACKETS = 12;

test('[R4] [R5] gateway, worker and operator follow an address that leads to another Redis, and say meanwhile why they wait', async () => {
  const [moving, book] = [await startMovingRedis(), await startDatabase()];
  onTestFinished(async () => {
    await moving.stop();
    await book.stop();
  });
  const worker = await openWorker({ redisUrl: moving.url, databaseUrl: book.url });
  onTestFinished(() => worker.close());
  const gateway = await openGateway(moving.url);
  onTestFinished(() => gateway.close());
  const database = connectDatabase(book.url);
  onTestFinished(() => database.$disconnect());
  const redis = connectRedis(moving.url, { purpose: 'once', onError: () => {} });
  onTestFinished(() => redis.disconnect());
  await untilReady(redis);
  const context = { redis, ledger: openLedger(database), signer, actor: 'test' };
  const open = async (rainId: string) => {
    const now = await redisNow(redis);
    const plan = { budget: '12.00', packets: PACKETS };
    expect(await createRain(context, { id: rainId, plan, opensAt: now, closesAt: now + 600_000 })).toMatchObject({
      ok: true,
    });
    await loadRain(context, rainId);
  };
  /** A gateway whose connections are on their way opens no sockets, and phones come again. */
  const untilDialled = async (userId: string) => {
    let phone: Awaited<ReturnType<typeof dial>> | undefined;
    await eventually(async () => Boolean((phone = await dial(gateway.url, userId))));
    return phone!;
  };
  /** Every user asks until the answer is final, and hears of the credit. */
  const win = async (rainId: string, from: number, to: number) => {
    for (let user = from; user < to; user++) {
      const phone = await untilDialled(`u${user}`);
      await eventually(async () => {
        phone.say({ type: 'grab', rainId });
        return (await phone.next('result')).code !== '-7';
      });
      await phone.next('credited');
      await phone.leave();
    }
  };
  await open('r1');
  await win('r1', 0, 4);
  await moving.swap();
  const told = new Set<string>();
  await eventually(() => {
    const report = gateway.readiness.report();
    if (!report.ready) for (const { part, reason } of report.notReady) told.add(`${part}: ${reason}`);
    return told.has('redis: Redis does not serve: it is a replica, and takes no writes (READONLY)');
  });
  moving.move();
  await win('r1', 4, PACKETS);
  await eventually(() => gateway.readiness.report().ready);
  await eventually(() => open('r2').then(() => true));
  await win('r2', 0, 2);
});
