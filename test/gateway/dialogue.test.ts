import { afterAll, describe, expect, test } from 'vitest';
import { EVENTS_CHANNEL, LIVE_RAINS_KEY, shardKeys, shardOf } from '../../src/store/keys.ts';
import { announceChange, close, pause, resume } from '../../src/store/transitions.ts';
import { dial, type Client } from '../support/client.ts';
import { claimLog } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { creditedEvent, signer } from '../support/signer.ts';

const { server, redis } = await openRedis();
const [one, two] = await Promise.all([openGateway(server.url), openGateway(server.url)]);
afterAll(() => Promise.all([one.close(), two.close()]));

/** The next snapshot of this rain in this state; other messages are skipped. */
async function sees(client: Client, rainId: string, state: string): Promise<void> {
  for (;;) {
    const snapshot = await client.next('rain');
    if (snapshot.rainId === rainId && snapshot.state === state) return;
  }
}

describe('a session', () => {
  test('[R4] a win is in the claim log before its user gets it', async () => {
    await stockRain(redis, { rainId: 'logged', amounts: Array.from({ length: 100 }, () => '1.00') });
    const clients = await Promise.all(
      Array.from({ length: 50 }, (_, i) => dial((i % 2 ? one : two).url, `logged-${i}`)),
    );
    await Promise.all(
      clients.map(async (client, i) => {
        client.say({ type: 'grab', rainId: 'logged' });
        const { code, redPacketId } = await client.next('result');
        expect(code).toBe('0');
        expect(await claimLog({ redis }, 'logged')).toContainEqual(
          expect.objectContaining({ userId: `logged-${i}`, redPacketId }),
        );
      }),
    );
    await Promise.all(clients.map((client) => client.leave()));
  });

  test('[R1] a gateway that cannot find a rain does not guess its shards', async () => {
    await stockRain(redis, { rainId: 'unlisted', amounts: Array.from({ length: 8 }, () => '1.00'), shards: 2 });
    const user = ['ann', 'bob', 'eve', 'joe', 'sue'].find((name) => shardOf(name, 2) === 1)!;
    const before = await dial(one.url, user);
    before.say({ type: 'grab', rainId: 'unlisted' });
    expect(await before.next('result')).toMatchObject({ code: '0' });
    await redis.hdel(LIVE_RAINS_KEY, 'unlisted');
    const late = await openGateway(server.url);
    const after = await dial(late.url, user);
    after.say({ type: 'grab', rainId: 'unlisted', ref: 'x' });
    expect(await after.next('result')).toMatchObject({ code: '-7', ref: 'x' });
    await Promise.all([before.leave(), after.leave()]);
    await late.close();
  });

  test('welcome, join, grab, grab again', async () => {
    await stockRain(redis, { rainId: 'd1', amounts: ['12.21'] });
    const ann = await dial(one.url, 'ann');
    expect(await ann.next('welcome')).toMatchObject({ userId: 'ann', limits: { messageBytesMax: 4096 } });
    ann.say({ type: 'join', rainId: 'd1' });
    expect(await ann.next('rain')).toMatchObject({ rainId: 'd1', state: 'open', packets: 1, left: 1 });
    const receipt = signer.receipt({ rainId: 'd1', redPacketId: 'd1-0', amount: '12.21', userId: 'ann' });
    ann.say({ type: 'grab', rainId: 'd1', ref: 'a' });
    expect(await ann.next('result')).toEqual({
      type: 'result',
      rainId: 'd1',
      ref: 'a',
      code: '0',
      reason: 'won',
      redPacketId: 'd1-0',
      amount: '12.21',
      receipt,
    });
    ann.say({ type: 'grab', rainId: 'd1' });
    expect(await ann.next('result')).toEqual({
      type: 'result',
      rainId: 'd1',
      code: '1',
      reason: 'already_claimed',
      redPacketId: 'd1-0',
      amount: '12.21',
      receipt,
    });
    const bob = await dial(two.url, 'bob');
    bob.say({ type: 'grab', rainId: 'd1', ref: 'b' });
    expect(await bob.next('result')).toEqual({
      type: 'result',
      rainId: 'd1',
      ref: 'b',
      code: '-1',
      reason: 'nothing_left',
    });
    await Promise.all([ann.leave(), bob.leave()]);
  });

  test('a user who joins and grabs in one moment is not answered "busy" beside the win', async () => {
    await stockRain(redis, { rainId: 'both', amounts: Array.from({ length: 20 }, () => '1.00') });
    for (let i = 0; i < 20; i++) {
      const user = await dial(one.url, `both-${i}`);
      user.say({ type: 'join', rainId: 'both' });
      user.say({ type: 'grab', rainId: 'both' });
      const first = await user.next('result');
      user.say({ type: 'grab', rainId: 'both' });
      expect([first, await user.next('result')].map(({ code }) => code)).not.toContain('-7');
      await user.leave();
    }
  });

  test('[R6] a user who lost the reply gets the result, and whether it was credited, on join, at every gateway', async () => {
    await stockRain(redis, { rainId: 'd2', amounts: ['12.21'] });
    const ann = await dial(one.url, 'ann');
    ann.say({ type: 'grab', rainId: 'd2' });
    await ann.next('result');
    await ann.leave();
    await redis.sadd(
      shardKeys('d2', 0).credited,
      signer.creditMark({ rainId: 'd2', redPacketId: 'd2-0', amount: '12.21', userId: 'ann' }),
    );
    const back = await dial(two.url, 'ann');
    back.say({ type: 'join', rainId: 'd2' });
    expect(await back.next('result')).toMatchObject({ code: '1', redPacketId: 'd2-0', amount: '12.21' });
    expect(await back.next('credited')).toEqual({
      type: 'credited',
      rainId: 'd2',
      redPacketId: 'd2-0',
      amount: '12.21',
    });
    await back.leave();
  });

  test("ping is answered with its own value and the server's time", async () => {
    const ann = await dial(one.url, 'ann');
    ann.say({ type: 'ping', t: 17.5 });
    const pong = await ann.next('pong');
    expect(pong.t).toBe(17.5);
    expect(Math.abs(pong.serverTime - Date.now())).toBeLessThan(1_000);
    await ann.leave();
  });

  test('an unknown rain is reported as such, to a join and to a grab', async () => {
    const ann = await dial(one.url, 'ann');
    ann.say({ type: 'join', rainId: 'nowhere' });
    expect(await ann.next('result')).toMatchObject({ code: '-8', rainId: 'nowhere' });
    ann.say({ type: 'grab', rainId: 'nowhere', ref: 'x' });
    expect(await ann.next('result')).toMatchObject({ code: '-8', ref: 'x' });
    await ann.leave();
  });

  test('every change of a rain reaches the sockets of both gateways', async () => {
    await stockRain(redis, { rainId: 'd5', amounts: ['1.00'], opensInMs: 2_500 });
    const clients = [await dial(one.url, 'ann'), await dial(two.url, 'bob')];
    for (const client of clients) client.say({ type: 'join', rainId: 'd5' });
    const all = (state: string) => Promise.all(clients.map((client) => sees(client, 'd5', state)));
    await all('loaded');
    await all('open');
    await pause(redis, 'd5', 1);
    await all('paused');
    await resume(redis, 'd5', 1);
    await all('open');
    await close(redis, 'd5', 1, 'early');
    await all('closed');
    await Promise.all(clients.map((client) => client.leave()));
  });

  test('a change whose event was lost is noticed within seconds', async () => {
    await stockRain(redis, { rainId: 'd6', amounts: ['1.00'] });
    const ann = await dial(one.url, 'ann');
    ann.say({ type: 'join', rainId: 'd6' });
    await sees(ann, 'd6', 'open');
    await redis.hset(shardKeys('d6', 0).state, 'state', 'paused');
    await sees(ann, 'd6', 'paused');
    await ann.leave();
  });

  test('a credit that nobody has signed is told to nobody: not to its user, not to viewers, not on join', async () => {
    await stockRain(redis, { rainId: 'unsigned', amounts: ['1.00'] });
    const ann = await dial(one.url, 'ann');
    ann.say({ type: 'grab', rainId: 'unsigned' });
    await ann.next('result');
    const heard: string[] = [];
    ann.socket.on('message', (data) => heard.push(String(data)));
    const claim = { userId: 'ann', redPacketId: 'unsigned-0', amount: '1.00' };
    const other = signer.creditMark({ rainId: 'unsigned', ...claim, userId: 'bob' });
    for (const forged of [
      { ...claim, amount: '5000.00' },
      { ...claim, mark: '' },
      { ...claim, mark: other },
      { ...claim, amount: '5000.00', mark: signer.creditMark({ rainId: 'unsigned', ...claim }) },
    ]) {
      await redis.publish(EVENTS_CHANNEL, JSON.stringify({ type: 'credited', rainId: 'unsigned', claims: [forged] }));
    }
    await redis.sadd(shardKeys('unsigned', 0).credited, 'ann', other);
    ann.say({ type: 'join', rainId: 'unsigned' });
    await ann.next('result');
    await redis.publish(EVENTS_CHANNEL, creditedEvent('unsigned', [claim]));
    // The first of its kind is the genuine one.
    expect(await ann.next('credited')).toMatchObject({ amount: '1.00' });
    expect(await ann.next('winners')).toMatchObject({ winners: [{ amount: '1.00' }] });
    ann.say({ type: 'join', rainId: 'unsigned' });
    await ann.next('result');
    // Decided after the question whether the win is credited.
    ann.say({ type: 'grab', rainId: 'unsigned' });
    await ann.next('result');
    expect(heard.filter((text) => text.includes('"credited"'))).toHaveLength(1);
    await ann.leave();
  });

  test('credited reaches every socket of the winner at both gateways, and the ticker shows viewers a masked name', async () => {
    await stockRain(redis, { rainId: 'd7', amounts: ['1.00'] });
    const [here, there, viewer] = [await dial(one.url, 'ann'), await dial(two.url, 'ann'), await dial(two.url, 'bob')];
    viewer!.say({ type: 'join', rainId: 'd7' });
    await viewer!.next('rain');
    await redis.publish(EVENTS_CHANNEL, 'rubbish');
    await redis.publish(EVENTS_CHANNEL, creditedEvent('d7', [{ userId: 'ann', redPacketId: 'd7-0', amount: '1.00' }]));
    for (const client of [here, there])
      expect(await client!.next('credited')).toEqual({
        type: 'credited',
        rainId: 'd7',
        redPacketId: 'd7-0',
        amount: '1.00',
      });
    expect(await viewer!.next('winners')).toEqual({
      type: 'winners',
      rainId: 'd7',
      winners: [{ user: 'a•••n', amount: '1.00' }],
    });
    await Promise.all([here!, there!, viewer!].map((client) => client.leave()));
  });

  test('a rain created while sockets are open is found at once, and a new socket gets it in welcome', async () => {
    const ann = await dial(one.url, 'ann');
    await stockRain(redis, { rainId: 'fresh', amounts: ['1.00'], shards: 2 });
    ann.say({ type: 'grab', rainId: 'fresh' });
    expect(['0', '-1']).toContain((await ann.next('result')).code);
    await announceChange(redis, 'fresh');
    await eventually(async () => {
      const bob = await dial(two.url, 'bob');
      const { rains } = await bob.next('welcome');
      await bob.leave();
      expect(rains.map(({ rainId }) => rainId)).toContain('fresh');
    });
    await ann.leave();
  });

  test('while Redis is unreachable grabs are answered "busy" in bounded time, none hangs, and all is normal afterwards', async () => {
    await stockRain(redis, { rainId: 'd9', amounts: ['1.00'] });
    const ann = await dial(one.url, 'ann');
    ann.say({ type: 'join', rainId: 'd9' });
    await ann.next('rain');
    process.kill(server.pid, 'SIGSTOP');
    try {
      ann.say({ type: 'grab', rainId: 'd9', ref: 'x' });
      // The own result, which a join also reads, may fail while Redis is stopped as well; it carries no ref.
      let answer = await ann.next('result');
      if (answer.ref === undefined) answer = await ann.next('result');
      expect(answer).toMatchObject({ code: '-7', ref: 'x' });
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await eventually(async () => {
      ann.say({ type: 'grab', rainId: 'd9' });
      expect((await ann.next('result')).amount).toBe('1.00');
    });
    expect(await redis.llen(shardKeys('d9', 0).claims)).toBe(1);
    await ann.leave();
  }, 20_000);
});
