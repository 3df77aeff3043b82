import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { mastersOf } from '../../src/platform/redis/owner.ts';
import { createReplicaWait } from '../../src/store/replicaWait.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { startPair, type TestPair } from '../support/servers/replica.ts';

/** For a replica that answers: the test does not depend on how soon. */
const HEALTHY_MS = 15_000;

let pair: TestPair;
let waiting: RedisClient;
let writing: Redis;
beforeAll(async () => {
  pair = await startPair();
  waiting = await connect(pair.master.url);
  writing = new Redis(pair.master.url);
});
afterAll(async () => {
  waiting.disconnect();
  writing.disconnect();
  await pair.stop();
});

const acknowledged = (waitMs: number) => createReplicaWait(1, waitMs)(waiting, mastersOf(waiting)[0]!);

test('[R4] a write of another connection is waited for, though this one has only read', async () => {
  expect(await acknowledged(HEALTHY_MS)).toBe(1);
  pair.link.blackhole();
  await writing.set('written', 'elsewhere');
  expect(await acknowledged(100)).toBe(0);
  pair.link.pass();
  await eventually(async () => expect(await acknowledged(500)).toBe(1), { timeoutMs: 20_000 });
});

test('[R4] a WAIT comes right after a write of its own connection: servers from Redis 7.2 on, and Valkey, count nothing else', async () => {
  const watching = new Redis(pair.master.url);
  // A connection of its own.
  const monitor = await watching.monitor();
  try {
    const ran: string[] = [];
    monitor.on('monitor', (_time: string, [command]: string[], source: string) =>
      ran.push(source === 'lua' ? `lua ${command}` : command!),
    );
    await acknowledged(HEALTHY_MS);
    await eventually(() =>
      expect(ran.map((command) => command.toLowerCase())).toEqual(expect.arrayContaining(['eval', 'lua set', 'wait'])),
    );
    const from = ran.indexOf('eval');
    expect(ran.slice(from, from + 3).map((command) => command.toLowerCase())).toEqual(['eval', 'lua set', 'wait']);
  } finally {
    monitor.disconnect();
    watching.disconnect();
  }
});

test('the mark is not written to the log on disk, so nobody waits for a sync', async () => {
  const size = async () => Number(/aof_current_size:(\d+)/.exec(await writing.info('persistence'))![1]);
  const before = await size();
  expect(await acknowledged(HEALTHY_MS)).toBe(1);
  expect(await size()).toBe(before);
});
