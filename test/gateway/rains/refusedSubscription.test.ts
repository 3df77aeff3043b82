import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { EVENTS_CHANNEL } from '../../../src/store/keys.ts';
import { eventually } from '../../support/eventually.ts';
import { listeningLog } from '../../support/log.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { startRedis } from '../../support/servers/redis.ts';

test('a gateway whose user loses its channels goes on, and hears events again when it has them back', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const admin = new Redis(server.url);
  onTestFinished(() => admin.disconnect());
  const listeners = async () => Number((await admin.pubsub('NUMSUB', EVENTS_CHANNEL))[1]);
  await admin.call('ACL', 'SETUSER', 'gateway', 'reset', 'on', '>secret', '~*', '&*', '+@all');
  const { log, heard } = listeningLog();
  const gateway = await openGateway(server.url.replace('//', '//gateway:secret@'), { log });
  onTestFinished(() => gateway.close());
  expect(await listeners()).toBe(1);
  // Redis cuts the connection; ioredis comes back, subscribes by itself, and is refused.
  await admin.call('ACL', 'SETUSER', 'gateway', 'resetchannels');
  await eventually(() => expect(JSON.stringify(heard)).toContain('NOPERM'));
  expect(await listeners()).toBe(0);
  await admin.call('ACL', 'SETUSER', 'gateway', '&*');
  await eventually(async () => expect(await listeners()).toBe(1), { timeoutMs: 10_000 });
});
