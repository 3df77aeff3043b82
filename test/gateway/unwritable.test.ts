import { expect, onTestFinished, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { dial } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { connect, dump, stockRain } from '../support/rain.ts';
import { startRedis } from '../support/servers/redis.ts';

async function openOn(...args: string[]) {
  const server = await startRedis({ args });
  const redis = await connect(server.url);
  const gateway = await openGateway(server.url);
  onTestFinished(async () => {
    await gateway.close();
    redis.disconnect();
    await server.stop();
  });
  return { server, redis, gateway };
}

test('[R4] a Redis that has become a replica: "busy", nothing is written, and the grab wins when it is a master again', async () => {
  const { server, redis, gateway } = await openOn();
  const master = await startRedis();
  onTestFinished(() => master.stop());
  // The new master has the same rain, like a replica that takes over.
  const other = await connect(master.url);
  onTestFinished(() => other.disconnect());
  await other.replicaof('127.0.0.1', server.port);
  await stockRain(redis, { rainId: 'r1', amounts: ['5.00'] });
  await eventually(async () => expect(await other.exists(shardKeys('r1', 0).packets)).toBe(1), { timeoutMs: 20_000 });
  await other.replicaof('NO', 'ONE');
  await redis.replicaof('127.0.0.1', master.port);
  await eventually(async () => expect(await redis.info('replication')).toContain('master_link_status:up'), {
    timeoutMs: 20_000,
  });

  const ann = await dial(gateway.url, 'ann');
  ann.say({ type: 'grab', rainId: 'r1' });
  expect(await ann.next('result')).toMatchObject({ code: '-7', reason: 'busy' });
  expect([await other.llen(shardKeys('r1', 0).claims), await other.llen(shardKeys('r1', 0).packets)]).toEqual([0, 1]);
  // All connections of this process leave the replica, and come back: a user asks again meanwhile.
  await eventually(() => redis.replicaof('NO', 'ONE'));
  await eventually(async () => {
    ann.say({ type: 'grab', rainId: 'r1' });
    expect(await ann.next('result')).toMatchObject({ code: '0', amount: '5.00' });
  });
  await ann.leave();
});

test('[R4] a Redis that is full and does not evict: "busy", nothing is lost, and the grab wins when there is room', async () => {
  const { redis, gateway } = await openOn('--maxmemory', '100mb', '--maxmemory-policy', 'noeviction');
  await stockRain(redis, { rainId: 'r1', amounts: ['5.00'] });
  const before = await dump(redis, 'rain:{*');
  await redis.set('filler', 'x'.repeat(3_000_000));
  await redis.config('SET', 'maxmemory', '2mb');
  const ann = await dial(gateway.url, 'ann');
  ann.say({ type: 'grab', rainId: 'r1' });
  expect(await ann.next('result')).toMatchObject({ code: '-7', reason: 'busy' });
  expect(await dump(redis, 'rain:{*')).toEqual(before);
  await redis.del('filler');
  await redis.config('SET', 'maxmemory', '100mb');
  ann.say({ type: 'grab', rainId: 'r1' });
  expect(await ann.next('result')).toMatchObject({ code: '0', amount: '5.00' });
  await ann.leave();
});
