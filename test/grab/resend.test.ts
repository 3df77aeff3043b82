import { Redis } from 'ioredis';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { BUSY, createGrabEngine } from '../../src/grab/engine.ts';
import { loadScripts, SCRIPTS } from '../../src/store/scripts.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { dial } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { TcpProxy } from '../support/servers/proxy.ts';
import { dump, openRedis, stockRain } from '../support/rain.ts';
import { genuine } from '../support/signer.ts';

// A script has run, and the connection is cut before its answer arrives.

const { server, redis } = await openRedis();
const keys = shardKeys('r1', 0);
let proxy: TcpProxy;
beforeEach(async () => {
  await redis.flushall();
  await loadScripts(redis);
  await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00', '3.00'] });
  proxy = await TcpProxy.open(server.port);
  onTestFinished(() => proxy.close());
});

/** How many scripts Redis has run. */
async function scriptsRun(): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
}

/** Sends a command through the proxy; it runs, and its answer is lost. */
async function loseAnswer<T>(ask: () => Promise<T>): Promise<T> {
  const before = await scriptsRun();
  proxy.blackhole('toClient');
  const asked = ask();
  // Another connection shows that it has run, perhaps before its answer has reached the proxy.
  await eventually(async () => (await scriptsRun()) > before && proxy.hasLost);
  proxy.pass();
  return asked;
}

test('[R6] our client sends a grab once: the user gets "busy", and a repeat gets the first answer and changes nothing', async () => {
  const client = connectRedis(`redis://127.0.0.1:${proxy.port}`, { purpose: 'once', onError: () => {} });
  onTestFinished(() => client.disconnect());
  await untilReady(client);
  const faults: unknown[] = [];
  const engine = createGrabEngine(client, (error) => faults.push(error));
  const before = await scriptsRun();

  expect(await loseAnswer(() => engine.grab('r1', 0, ['ann']))).toEqual([BUSY]);
  await eventually(() => client.status === 'ready');
  expect([(await scriptsRun()) - before, faults.length]).toEqual([1, 1]);

  const won = await dump(redis);
  const [again] = await engine.grab('r1', 0, ['ann']);
  expect(again).toEqual(genuine('1', 'r1', 'r1-0', '1.00'));
  expect(await dump(redis)).toEqual(won);
  expect(await redis.llen(keys.claims)).toBe(1);
});

test('control: ioredis with default settings sends it twice without notice; since a repeat is harmless so is that [R1]', async () => {
  const client = new Redis(proxy.port, '127.0.0.1');
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  await untilReady(client);
  const engine = createGrabEngine(client, () => {});
  const before = await scriptsRun();
  expect(await loseAnswer(() => engine.grab('r1', 0, ['ann']))).toEqual([genuine('1', 'r1', 'r1-0', '1.00')]);
  expect((await scriptsRun()) - before).toBe(2);
  expect(await redis.llen(keys.claims)).toBe(1);
});

test('control: a script that is not idempotent is corrupted that way, but not by our client', async () => {
  const count = "return redis.call('INCR', KEYS[1])";
  const sha = (await redis.script('LOAD', count)) as string;
  const counted: Record<string, string | null> = {};
  for (const [name, client] of [
    ['ours', connectRedis(`redis://127.0.0.1:${proxy.port}`, { purpose: 'once', onError: () => {} })],
    ['default', new Redis(proxy.port, '127.0.0.1').on('error', () => {})],
  ] as const) {
    onTestFinished(() => client.disconnect());
    await untilReady(client);
    await loseAnswer(() => client.evalsha(sha, 1, name)).catch(() => {});
    await eventually(() => client.status === 'ready');
    counted[name] = await redis.get(name);
  }
  expect(counted).toEqual({ ours: '1', default: '2' });
});

test('[R6] a user whose answer was lost behind the gateway gets "busy", and the win at the next grab', async () => {
  const gateway = await openGateway(`redis://127.0.0.1:${proxy.port}`);
  onTestFinished(() => gateway.close());
  const ann = await dial(gateway.url, 'ann');
  onTestFinished(() => ann.leave());
  const ask = async (ref: string) => {
    ann.say({ type: 'grab', rainId: 'r1', ref });
    return ann.next('result');
  };
  const watching = new Redis(server.url);
  const monitor = await watching.monitor();
  onTestFinished(() => {
    monitor.disconnect();
    watching.disconnect();
  });
  let grabs = 0;
  monitor.on('monitor', (_time: string, [, sha]: string[]) => {
    if (sha === SCRIPTS.get('grab')!.sha) grabs++;
  });
  expect(await loseAnswer(() => ask('first'))).toMatchObject({ ref: 'first', code: '-7' });
  expect(
    await eventually(async () => {
      const answer = await ask('again');
      return answer.code !== '-7' && answer;
    }),
  ).toMatchObject({ code: '1', redPacketId: 'r1-0', amount: '1.00' });
  // A gateway runs other scripts, too.
  await eventually(() => expect(grabs).toBeGreaterThanOrEqual(2));
  expect(grabs).toBe(2);
});
