import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { GatewayOptions } from '../../../src/gateway/options.ts';
import type { Gateway } from '../../../src/gateway/server.ts';
import { LIVE_RAINS_KEY, shardKeys } from '../../../src/store/keys.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { createLog, type Logger } from '../../../src/platform/telemetry/log.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { dial, type Client } from '../../support/client.ts';
import { claimLog } from '../../support/operatorContext.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { connect, stockRain } from '../../support/rain.ts';
import { startPair, type TestPair } from '../../support/servers/replica.ts';
import { packetElement } from '../../../src/store/loadPackets.ts';
import { readTold } from '../../../src/store/told.ts';
import { signer } from '../../support/signer.ts';

let pair: TestPair;
let redis: RedisClient;
const gateways: Gateway[] = [];
beforeAll(async () => {
  pair = await startPair();
  redis = await connect(pair.master.url);
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
});
afterAll(async () => {
  redis.disconnect();
  await pair.stop();
});

interface Line {
  level: 'warn' | 'error';
  facts: object;
  message: string;
}

/** A log that a test can read. */
function listen(): { log: Logger; lines: Line[] } {
  const lines: Line[] = [];
  const log = createLog('gateway', 'silent');
  for (const level of ['warn', 'error'] as const)
    log[level] = ((facts: object, message: string) => {
      lines.push({ level, facts, message });
    }) as Logger['warn'];
  return { log, lines };
}

async function open(options: Partial<GatewayOptions>): Promise<Gateway> {
  const gateway = await openGateway(pair.master.url, options);
  gateways.push(gateway);
  return gateway;
}

async function grab(client: Client, rainId: string): Promise<{ code: string; amount?: string | undefined }> {
  client.say({ type: 'grab', rainId, ref: 'grab' });
  let answer = await client.next('result');
  while (answer.ref === undefined) answer = await client.next('result');
  return { code: answer.code, ...('amount' in answer && { amount: answer.amount }) };
}

describe('DURABILITY=replicas=1', () => {
  test('[R4] while the replica is stalled neither grab nor join reports a win; afterwards both do', async () => {
    const gateway = await open({ durability: { mode: 'replicas', replicas: 1 }, durabilityWaitMs: 100 });
    await stockRain(redis, { rainId: 'stalled', amounts: ['12.21'] });
    const [ann, bob] = [await dial(gateway.url, 'ann'), await dial(gateway.url, 'bob')];
    pair.link.blackhole();
    try {
      expect(await grab(ann, 'stalled')).toEqual({ code: '-7' });
      expect(await grab(ann, 'stalled')).toEqual({ code: '-7' });
      expect(await grab(bob, 'stalled')).toEqual({ code: '-1' });
      ann.say({ type: 'join', rainId: 'stalled' });
      expect(await ann.next('result')).toEqual({
        type: 'result',
        rainId: 'stalled',
        code: '-7',
        reason: 'busy',
        retryInMs: expect.any(Number) as number,
      });
    } finally {
      pair.link.pass();
    }
    await eventually(async () => expect(await grab(ann, 'stalled')).toEqual({ code: '1', amount: '12.21' }), {
      timeoutMs: 20_000,
    });
    await eventually(
      async () => {
        ann.say({ type: 'join', rainId: 'stalled' });
        expect(await ann.next('result')).toMatchObject({ code: '1', amount: '12.21' });
      },
      { timeoutMs: 20_000 },
    );
    await Promise.all([ann.leave(), bob.leave()]);
  }, 40_000);

  test('too few replicas are reported at the start, in one sentence', async () => {
    const { log, lines } = listen();
    await open({ durability: { mode: 'replicas', replicas: 3 }, log });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        message: expect.stringMatching(/3 replicas .* 1 are connected/) as string,
      }),
    ]);
  });

  test('a Redis with less durability than configured is reported at the start', async () => {
    await redis.config('SET', 'appendfsync', 'everysec');
    const [strict, relaxed] = [listen(), listen()];
    try {
      await open({ log: strict.log });
      await open({ log: relaxed.log, durability: { mode: 'relaxed' } });
    } finally {
      await redis.config('SET', 'appendfsync', 'always');
    }
    expect(strict.lines).toEqual([
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('everysec') as string }),
    ]);
    expect(relaxed.lines).toEqual([]);
  });
});

describe('a connection that was lost and is ready again', () => {
  /** Removes the last claim from Redis, like a failover to a replica without it. */
  async function forgetLastClaim(rainId: string): Promise<void> {
    const keys = shardKeys(rainId, 0);
    const { userId, redPacketId, amount } = (await claimLog({ redis }, rainId)).at(-1)!;
    await redis.lpop(keys.claims);
    await redis.hdel(keys.claimed, userId);
    await redis.rpush(keys.packets, packetElement(signer, rainId, redPacketId, amount));
  }
  const cutEverybodyElse = () => redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');

  test('[R6] a missing win is put back before anybody else gets its packet, and is logged', async () => {
    const { log, lines } = listen();
    const gateway = await open({ log });
    await stockRain(redis, { rainId: 'lost', amounts: ['3.00'] });
    const ann = await dial(gateway.url, 'ann');
    expect(await grab(ann, 'lost')).toEqual({ code: '0', amount: '3.00' });
    const others = await Promise.all(Array.from({ length: 30 }, (_, i) => dial(gateway.url, `other-${i}`)));
    await forgetLastClaim('lost');
    await cutEverybodyElse();
    // They grab all the time, and any of them could get her packet.
    const answers = await Promise.all(
      others.map((other) =>
        eventually(
          async () => {
            const { code } = await grab(other, 'lost');
            return code !== '-7' && code;
          },
          { everyMs: 0, timeoutMs: 10_000 },
        ),
      ),
    );
    expect(new Set(answers)).toEqual(new Set(['-1']));
    expect(await grab(ann, 'lost')).toEqual({ code: '1', amount: '3.00' });
    expect((await claimLog({ redis }, 'lost')).map(({ userId }) => userId)).toEqual(['ann']);
    expect(lines.filter(({ message }) => message.includes('put back'))).toEqual([
      expect.objectContaining({ level: 'warn', facts: { rainId: 'lost', putBack: 1, contested: 0 } }),
    ]);
    await Promise.all([ann, ...others].map((client) => client.leave()));
  });

  test('[R6] a win sent by a join is kept like one sent by a grab', async () => {
    const [first, second] = [await open({}), await open({})];
    await stockRain(redis, { rainId: 'joined', amounts: ['3.00'] });
    const ann = await dial(first.url, 'ann');
    await grab(ann, 'joined');
    const back = await dial(second.url, 'ann');
    back.say({ type: 'join', rainId: 'joined' });
    expect(await back.next('result')).toMatchObject({ code: '1' });
    await ann.leave();
    await first.close();
    await forgetLastClaim('joined');
    await cutEverybodyElse();
    await eventually(async () =>
      expect(await claimLog({ redis }, 'joined')).toMatchObject([{ userId: 'ann', amount: '3.00' }]),
    );
    await back.leave();
  });

  test('a rain that Redis has lost is reported with its winners, without amounts; they are written down, and no other key of it is written', async () => {
    const { log, lines } = listen();
    const gateway = await open({ log });
    await stockRain(redis, { rainId: 'flushed', amounts: ['3.00'] });
    const ann = await dial(gateway.url, 'ann');
    await grab(ann, 'flushed');
    await redis.del(...Object.values(shardKeys('flushed', 0)));
    await redis.hdel(LIVE_RAINS_KEY, 'flushed');
    await cutEverybodyElse();
    await eventually(() =>
      expect(lines).toContainEqual(
        expect.objectContaining({
          level: 'error',
          facts: { rainId: 'flushed', lost: 1, claims: [{ userId: 'ann', redPacketId: 'flushed-0' }] },
        }),
      ),
    );
    // The loss is logged before the win is written down.
    await eventually(async () => expect(await redis.keys('rain:{flushed/*')).toEqual([shardKeys('flushed', 0).told]));
    await ann.leave();
  });

  test("[R14] FLUSHALL while nobody's line is cut: each gateway notices it by itself, and writes down whom it has told what", async () => {
    const { log, lines } = listen();
    const both = [await open({ log }), await open({})];
    await stockRain(redis, { rainId: 'emptied', amounts: ['3.00', '4.00', '5.00'], shards: 2 });
    const told = await Promise.all(
      both.map(async (gateway, i) => {
        const client = await dial(gateway.url, `user-${i}`);
        const { code, amount } = await grab(client, 'emptied');
        await client.leave();
        return { userId: `user-${i}`, code, amount };
      }),
    );
    expect(told).toMatchObject([{ code: '0' }, { code: '0' }]);
    await redis.flushall();
    await eventually(
      async () =>
        expect(
          (await readTold(redis, signer, 'emptied', 2)).map(({ userId, amount }) => `${userId} ${amount}`).sort(),
        ).toEqual(told.map(({ userId, amount }) => `${userId} ${amount}`)),
      { timeoutMs: 10_000 },
    );
    expect(
      lines
        .filter(({ level, message }) => level === 'error' && message.includes('has lost a rain'))
        .map(({ facts }) => facts as { rainId: string })
        .filter(({ rainId }) => rainId === 'emptied'),
    ).toEqual([
      { rainId: 'emptied', state: 'loaded' },
      { rainId: 'emptied', lost: 1, claims: [expect.objectContaining({ userId: 'user-0' })] },
    ]);
  });

  test("a restored claim has a time of Redis's clock, and is a claim like any other", async () => {
    const gateway = await open({});
    await stockRain(redis, { rainId: 'dated', amounts: ['3.00'] });
    const ann = await dial(gateway.url, 'ann');
    await grab(ann, 'dated');
    await forgetLastClaim('dated');
    await cutEverybodyElse();
    const [claim] = await eventually(async () => {
      const found = await claimLog({ redis }, 'dated');
      return found.length === 1 && found;
    });
    expect(Math.abs(Number(claim!.at) - (await redisNow(redis)))).toBeLessThan(10_000);
    await ann.leave();
  });
});
