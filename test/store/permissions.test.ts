import { readdirSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startWorker } from '../../src/bin/servers/worker.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { ROOT } from '../../src/platform/process/root.ts';
import {
  aclRulesOf,
  missingCommands,
  QUEUE_COMMANDS,
  REDIS_ROLES,
  requireCommands,
} from '../../src/store/permissions.ts';
import { connect, dump } from '../support/rain.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { startRedis } from '../support/servers/redis.ts';
import { signer } from '../support/signer.ts';

const server = await startRedis();
const admin = new Redis(server.url);
afterAll(() => {
  admin.disconnect();
  return server.stop();
});

async function urlOf(...rules: string[]): Promise<string> {
  await admin.call('ACL', 'SETUSER', 'limited', 'reset', 'on', '>secret', ...rules);
  return server.url.replace('//', '//limited:secret@');
}

async function as(...rules: string[]) {
  const redis = await connect(await urlOf(...rules));
  onTestFinished(() => redis.disconnect());
  return redis;
}

test.each(REDIS_ROLES)(
  'a user with the rules of a %s lacks nothing, and one that lacks any of them is told which',
  async (role) => {
    const rules = aclRulesOf(role);
    expect(await missingCommands(await as(...rules.split(' ')), role)).toEqual([]);
    for (const without of [
      'evalsha',
      'script load',
      'time',
      'wait',
      'hset',
      'discard',
      'exec',
      ...(role === 'worker' ? ['bzpopmin', 'xadd'] : []),
      ...(role === 'gateway' ? ['subscribe'] : []),
    ]) {
      const redis = await as(...rules.split(' '), `-${without.replace(' ', '|')}`);
      expect(await missingCommands(redis, role)).toEqual([without]);
    }
    expect(await dump(await connect(server.url))).toEqual({});
  },
);

test('keys and channels that a user may not use are named', async () => {
  expect(await missingCommands(await as('~rain:*', '~sale:*', '&*', '+@all'), 'worker')).toEqual([
    'keys {rain-queue}:*',
  ]);
  expect(await missingCommands(await as('~x', '&*', '+@all'), 'gateway')).toEqual([
    'keys rain:*',
    'keys sale:*',
    'keys {rain-queue}:*',
  ]);
  for (const channels of ['resetchannels', '&rain:events']) {
    for (const role of REDIS_ROLES)
      expect(await missingCommands(await as('~*', '+@all', channels), role)).toEqual(['channels rain:events*']);
  }
});

test('a user who may not even begin a transaction changes nothing', async () => {
  const redis = await as('~*', '&*', '+@all', '-multi');
  expect(await missingCommands(redis, 'worker')).toEqual(['multi']);
  expect(await dump(await connect(server.url))).toEqual({});
});

test('a gateway, a worker and a console refuse to start, and name the command that is missing', async () => {
  const url = await urlOf('~*', '&*', '+@all', '-hmget');
  const refusal = (role: string) =>
    new RegExp(`Redis does not let its user do what a ${role} needs: hmget; rain doctor --acl prints the rules`);
  await expect(openGateway(url)).rejects.toThrow(refusal('gateway'));
  await expect(
    startWorker(url, 'postgres://nobody@127.0.0.1:1/none', createLog('worker', 'silent'), { signer }),
  ).rejects.toThrow(refusal('worker'));
  await expect(requireCommands(await as('~*', '&*', '+@all', '-hmget'), 'operator')).rejects.toThrow(
    refusal('console'),
  );
});

test("the commands of the queue are those that BullMQ's scripts call", () => {
  const folder = new URL('node_modules/bullmq/dist/esm/scripts/', ROOT);
  const called = readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/(?:rcall|redis\.call)\(\s*["'](\w+)["']/g)].map(
        ([, name]) => name!.toLowerCase(),
      ),
    );
  expect([...new Set(called)].sort()).toEqual(QUEUE_COMMANDS);
});
