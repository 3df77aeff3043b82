import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { readQueues } from '../../src/operator/queues/overview.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { createSale } from '../../src/operator/sale/create.ts';
import { openSale } from '../../src/operator/sale/open.ts';
import { openQueues } from '../../src/bin/queues.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { aclRulesOf, OPTIONAL_COMMANDS, type RedisRole } from '../../src/store/permissions.ts';
import { redisNow } from '../../src/store/rains.ts';
import { dialCrowd } from '../support/crowd.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { startDatabase } from '../support/servers/database.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { startRedis } from '../support/servers/redis.ts';
import { openWorker } from '../support/servers/worker.ts';
import { signer } from '../support/signer.ts';

const [server, book] = await Promise.all([startRedis(), startDatabase()]);
const admin = new Redis(server.url);
afterAll(async () => {
  admin.disconnect();
  await Promise.all([server.stop(), book.stop()]);
});

/** The address of a user of this name who may do what the rules say. */
async function userOf(name: string, rules: string): Promise<string> {
  await admin.call('ACL', 'SETUSER', name, 'reset', 'on', '>secret', ...rules.split(' '));
  return `redis://${name}:secret@127.0.0.1:${server.port}`;
}

const ownRules = (role: RedisRole) => userOf(`rain-${role}`, aclRulesOf(role, []));
const asProvidersGive = () => userOf('tenant', '~* &* +@all -@admin -@dangerous');

/** The refusals of Redis, except for optional reads. */
async function refusals(): Promise<string[]> {
  const log = (await admin.call('ACL', 'LOG')) as unknown[][];
  const denied = log.map(
    (entry) =>
      Object.fromEntries(
        Array.from({ length: entry.length / 2 }, (_, i) => [entry[2 * i], entry[2 * i + 1]]),
      ) as Record<string, string>,
  );
  return denied
    .filter(({ object }) => !OPTIONAL_COMMANDS.includes(object!.replace('|', ' ')))
    .map(({ username, object, context }) => `${username}: ${object} (${context})`);
}

test.each([
  ['a user for each role, with the rules that the doctor prints', ownRules],
  ['one user for all, as providers give it: without INFO, CONFIG and CLIENT LIST', asProvidersGive],
])('a rain and a sale are played, settled and audited by %s', async (_, userFor) => {
  const urls = {
    gateway: await userFor('gateway'),
    worker: await userFor('worker'),
    operator: await userFor('operator'),
  };
  const [gateway, worker] = [
    await openGateway(urls.gateway),
    await openWorker({ redisUrl: urls.worker, databaseUrl: book.url }),
  ];
  const [redis, database] = [await connect(urls.operator), connectDatabase(book.url)];
  const queueing = connectRedis(urls.operator, { purpose: 'once', onError: () => {} });
  await untilReady(queueing);
  const queues = openQueues({ connection: queueing, onError: () => {}, visiting: true });
  const context = { redis, ledger: openLedger(database), signer, actor: 'test' };
  try {
    const opensAt = await redisNow(redis);
    const [rainId, saleId] = [`rain-${opensAt}`, `sale-${opensAt}`];
    const closesAt = opensAt + 5_000;
    expect(
      await createRain(context, {
        id: rainId,
        plan: { budget: '5.00', packets: 5, split: { method: 'even' } },
        opensAt,
        closesAt,
      }),
    ).toMatchObject({ ok: true });
    expect(await loadRain(context, rainId)).toMatchObject({ ok: true });
    expect(
      await createSale(context, {
        id: saleId,
        items: [{ sku: 'tee', name: 'Tee', units: 5, price: '1.00' }],
        perUserMax: 1,
        holdMs: 1_000,
        opensAt,
        closesAt,
      }),
    ).toMatchObject({ ok: true });
    expect(await openSale(context, saleId)).toMatchObject({ ok: true });
    const crowd = await dialCrowd(gateway, 8);
    for (const client of crowd) {
      client.say({ type: 'grab', rainId, ref: 'g' });
      client.say({ type: 'buy', saleId, sku: 'tee', ref: 'b' });
    }
    const told = await Promise.all(
      crowd.map(async (client) => [(await client.next('result')).code, (await client.next('order')).code]),
    );
    expect([0, 1].map((i) => told.filter((codes) => codes[i] === '0').length)).toEqual([5, 5]);
    const settled = async () =>
      (await context.ledger.rain(rainId))?.settledAt && (await context.ledger.sale(saleId))?.settledAt;
    await eventually(settled, { timeoutMs: 40_000, everyMs: 500 });
    for (const audit of [await auditRain(context, rainId), await auditSale(context, saleId)])
      expect(audit).toMatchObject({ report: { balanced: true }, problems: [] });
    expect(
      (await readQueues({ ...context, queues })).queues.map(({ name, waiting }) => [name, waiting]),
    ).toContainEqual(['credit', 0]);
    expect(await refusals()).toEqual([]);
  } finally {
    await Promise.all([gateway.close(), worker.close(), ...Object.values(queues).map((queue) => queue.close())]);
    redis.disconnect();
    queueing.disconnect();
    await database.$disconnect();
  }
});
