import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkerProcess } from '../../src/bin/servers/worker.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import type { ResultMessage } from '../../src/protocol/messages.ts';
import { parseMoney } from '../../src/rain/money.ts';
import { dial, type Client } from '../support/client.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openWorker } from '../support/servers/worker.ts';

let context: TestContext;
let gateways: [Gateway, Gateway];
let workers: WorkerProcess[];

beforeAll(async () => {
  context = await openTestContext();
  // The message limit is off, and redelivery runs soon. Everything else is as in production. Two workers share the
  // claims.
  const limits = { messagesPerSecondMax: 1_000_000 };
  gateways = await Promise.all([openGateway(context.redisUrl, { limits }), openGateway(context.redisUrl, { limits })]);
  const sweeping = { everyMs: 300, sweepAfterMs: 1_000 };
  workers = [await openWorker(context, { sweeping }), await openWorker(context, { sweeping })];
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await Promise.all(workers.map((worker) => worker.close()));
  await context.stop();
});

async function openRain(id: string, budget: string, packets: number): Promise<void> {
  const now = await redisNow(context.redis);
  expect(
    (await createRain(context, { id, plan: { budget, packets }, opensAt: now - 1, closesAt: now + 600_000 })).ok,
  ).toBe(true);
  expect((await loadRain(context, id)).ok).toBe(true);
}

/** Parallel handshakes. Thousands would block this process for longer than its gateways wait for Redis. */
const SLICE = 200;

/** Opens this many sockets, half of them at each gateway. */
async function enter(count: number, name: (i: number) => string): Promise<Client[]> {
  const clients: Client[] = [];
  while (clients.length < count) {
    const from = clients.length;
    clients.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(SLICE, count - from) }, (_, i) =>
          dial(gateways[(from + i) % 2]!.url, name(from + i)),
        ),
      )),
    );
  }
  return clients;
}

const leave = (clients: Client[]) => Promise.all(clients.map((client) => client.leave()));

describe('a rain, end to end, on real parts', () => {
  test('5,000 simultaneous grabs by 2,000 users on 200 packets: 200 winners, every cent credited once, the rest answered "-1" [R1][R2][R5][R8]', async () => {
    await openRain('storm', '888.00', 200);
    const clients = await enter(2_000, (i) => `user-${i}`);
    // Half of them grab once, half four times, all before the first answer.
    const asks = clients.map((_, i) => (i < 1_000 ? 1 : 4));
    clients.forEach((client, i) => {
      for (let n = 0; n < asks[i]!; n++) client.say({ type: 'grab', rainId: 'storm', ref: String(n) });
    });
    const answers: ResultMessage[][] = await Promise.all(
      clients.map(async (client, i) => {
        const heard: ResultMessage[] = [];
        for (let n = 0; n < asks[i]!; n++) heard.push(await client.next('result'));
        return heard;
      }),
    );
    expect(answers.flat()).toHaveLength(5_000);

    const winners = new Map<string, ResultMessage>();
    answers.forEach((heard, i) => {
      const wins = heard.filter(({ code }) => code === '0');
      expect(wins.length).toBeLessThanOrEqual(1);
      if (wins[0]) winners.set(`user-${i}`, wins[0]);
      // After "0" only "1" with the same packet; without a win only "-1".
      for (const { code, redPacketId, amount } of heard) {
        if (wins[0]) expect([redPacketId, amount]).toEqual([wins[0].redPacketId, wins[0].amount]);
        else expect(code).toBe('-1');
      }
    });
    expect(winners.size).toBe(200);
    expect(new Set([...winners.values()].map(({ redPacketId }) => redPacketId)).size).toBe(200);
    expect([...winners.values()].reduce((sum, { amount }) => sum + parseMoney(amount!)!, 0n)).toBe(88_800n);

    await Promise.all(
      clients.map(async (client, i) => {
        const won = winners.get(`user-${i}`);
        if (won)
          expect(await client.next('credited')).toEqual({
            type: 'credited',
            rainId: 'storm',
            redPacketId: won.redPacketId,
            amount: won.amount,
          });
      }),
    );
    for (const [userId, { amount }] of winners) expect(await context.ledger.balance(userId)).toBe(parseMoney(amount!)!);
    expect((await auditRain(context, 'storm'))!.report).toMatchObject({
      budget: '888.00',
      credited: '888.00',
      pending: '0.00',
      unclaimed: '0.00',
      winners: 200,
      balanced: true,
    });
    expect(await context.ledger.sumOfBalances()).toBe(0n);
    await leave(clients);
  });

  test('[R1][R6] one user on 50 sockets over two gateways, 10,000 grabs: one claim, every later answer is "1" with the same packet', async () => {
    await openRain('greedy', '50.00', 20);
    const sockets = await enter(50, () => 'greedy-gus');
    const answers = (
      await Promise.all(
        sockets.map(async (socket) => {
          for (let n = 0; n < 200; n++) socket.say({ type: 'grab', rainId: 'greedy' });
          const heard: ResultMessage[] = [];
          for (let n = 0; n < 200; n++) heard.push(await socket.next('result'));
          return heard;
        }),
      )
    ).flat();
    expect(answers).toHaveLength(10_000);
    const first = answers.filter(({ code }) => code === '0');
    expect(first).toHaveLength(1);
    expect(
      new Set(answers.map(({ code, redPacketId, amount }) => `${code === '0' ? '1' : code} ${redPacketId} ${amount}`)),
    ).toEqual(new Set([`1 ${first[0]!.redPacketId} ${first[0]!.amount}`]));
    expect(await claimLog(context, 'greedy')).toHaveLength(1);
    for (const socket of sockets)
      expect(await socket.next('credited')).toMatchObject({ redPacketId: first[0]!.redPacketId });
    expect(await context.ledger.balance('greedy-gus')).toBe(parseMoney(first[0]!.amount!)!);
    await leave(sockets);
  });

  test('after the end the rest goes back, once, and the workers settle the rain by themselves', async () => {
    await openRain('half', '30.00', 10);
    const clients = await enter(4, (i) => `half-${i}`);
    for (const client of clients) {
      client.say({ type: 'grab', rainId: 'half' });
      expect((await client.next('result')).code).toBe('0');
    }
    await closeRain(context, 'half');
    const late = await dial(gateways[0].url, 'too-late');
    late.say({ type: 'grab', rainId: 'half' });
    expect((await late.next('result')).code).toBe('-3');
    await eventually(async () => expect((await context.ledger.rain('half'))!.settledAt).toBeDefined(), {
      timeoutMs: 15_000,
    });
    const { report } = (await auditRain(context, 'half'))!;
    expect(report).toMatchObject({ pending: '0.00', unclaimed: '0.00', winners: 4, balanced: true });
    expect(parseMoney(report.credited)! + parseMoney(report.recycled)!).toBe(3_000n);
    expect((await context.ledger.actions('half')).filter(({ verb }) => verb === 'recycle')).toHaveLength(1);
    await eventually(async () => expect(await context.redis.pttl(shardKeys('half', 0).claims)).toBeGreaterThan(0));
    // A grab after all that still gets the first answer [R6].
    clients[0]!.say({ type: 'grab', rainId: 'half' });
    expect((await clients[0]!.next('result')).code).toBe('1');
    await leave([...clients, late]);
    expect(await context.ledger.sumOfBalances()).toBe(0n);
  });

  test('claims lost by the queue are redelivered and credited once', async () => {
    await openRain('lost', '5.00', 5);
    const clients = await enter(5, (i) => `lost-${i}`);
    // As if the queue had lost them after the relay had added them: the cursor is ahead of the claims.
    await context.redis.set(shardKeys('lost', 0).relayed, '5');
    for (const client of clients) {
      client.say({ type: 'grab', rainId: 'lost' });
      expect((await client.next('result')).code).toBe('0');
    }
    await closeRain(context, 'lost');
    await eventually(async () => expect((await context.ledger.rain('lost'))!.settledAt).toBeDefined(), {
      timeoutMs: 40_000,
    });
    expect((await auditRain(context, 'lost'))!.report).toMatchObject({ credited: '5.00', winners: 5, balanced: true });
    await leave(clients);
  }, 60_000);
});
