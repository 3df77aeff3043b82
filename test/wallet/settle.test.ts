import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openWorker } from '../support/servers/worker.ts';
import { EVENTS_CHANNEL, QUEUE_PREFIX, shardKeys } from '../../src/store/keys.ts';
import { createDeadQueue } from '../../src/credit/queue.ts';
import { discardDeadLetter } from '../../src/operator/deadLetters/discard.ts';
import { deadLetterId } from '../../src/credit/deadLetter.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { connect } from '../support/rain.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET as WALLET_SECRET, startWallet, type Wallet } from '../credit/wallet.ts';
import { openPlayers, wonRain, type Players } from './room.ts';
import type { WorkerProcess } from '../../src/bin/servers/worker.ts';
import { createCreditQueue } from '../../src/credit/queue.ts';
import { signer } from '../support/signer.ts';

let context: TestContext;
const opened: { close(): Promise<unknown> }[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  // Money is neither made nor lost, whatever happened.
  expect(await context.ledger.sumOfBalances()).toBe(0n);
});
afterAll(() => context?.stop());

function players(settings?: Record<string, string>): Players {
  const one = openPlayers(context, settings);
  opened.push(one);
  return one;
}
async function worker(options?: Parameters<typeof openWorker>[1]): Promise<WorkerProcess> {
  const one = await openWorker(context, options);
  opened.push(one);
  return one;
}
const creditsOf = (rainId: string) => context.ledger.credits(rainId);
/** The relay has handed everything over, and nothing is left in the queue. */
const carried = (rainId: string, claims: number) =>
  eventually(async () => {
    expect(await context.redis.get(shardKeys(rainId, 0).relayed)).toBe(String(claims));
    const queue = createCreditQueue({
      connection: context.redis,
      prefix: QUEUE_PREFIX,
      onError: () => {},
      visiting: true,
    });
    expect(await queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(0);
  });

describe('while no worker runs', () => {
  test('wins of a rehearsal are neither in the wallet nor pending, and no wallet is asked for them', async () => {
    await wonRain(context, 'tried-out', ['zoe'], { rehearsal: true });
    const { statementOf } = players();
    const statement = await eventually(async () => {
      const told = await statementOf('zoe');
      expect(told.settled).toBe(true);
      return told;
    });
    expect(statement).toEqual({ userId: 'zoe', wallet: '0.00', pending: '0.00', settled: true, packets: [] });
    expect(await creditsOf('tried-out')).toEqual([]);
    // The worker credits it, in test money, which the wallet does not show either.
    await worker();
    await eventually(async () => expect(await creditsOf('tried-out')).toHaveLength(1));
    expect(await statementOf('zoe')).toEqual(statement);
  });

  test('[R5] a user who opens the wallet is credited once, and the later worker finds it done', async () => {
    const [claim] = await wonRain(context, 'stopped', ['ann', 'bob']);
    const { statementOf } = players();
    const statement = await eventually(async () => {
      const told = await statementOf('ann');
      expect(told.settled).toBe(true);
      return told;
    });
    expect(statement).toEqual({
      userId: 'ann',
      wallet: '1.00',
      pending: '0.00',
      settled: true,
      packets: [
        {
          rainId: 'stopped',
          title: 'The rain stopped',
          redPacketId: claim!.redPacketId,
          amount: '1.00',
          at: expect.stringMatching(/^20.*Z$/),
          status: 'credited',
        },
      ],
    });
    // The request changes no other user's money.
    expect((await creditsOf('stopped')).map(({ userId }) => userId)).toEqual(['ann']);
    expect(await context.redis.smembers(shardKeys('stopped', 0).credited)).toEqual([
      signer.creditMark({ ...claim!, rainId: 'stopped' }),
    ]);
    await worker();
    await eventually(async () => expect(await creditsOf('stopped')).toHaveLength(2));
    await carried('stopped', 2);
    expect(await context.ledger.balance('ann')).toBe(100n);
    expect(await context.ledger.balance('bob')).toBe(100n);
    expect((await statementOf('ann')).wallet).toBe('1.00');
  });

  test('the gateways receive it like any other credit', async () => {
    const [claim] = await wonRain(context, 'told', ['cid']);
    const ear = await connect(context.redisUrl);
    const heard: unknown[] = [];
    ear.on('message', (_channel: string, frame: string) => heard.push(JSON.parse(frame)));
    await ear.subscribe(EVENTS_CHANNEL);
    try {
      const { statementOf } = players();
      await eventually(async () => expect((await statementOf('cid')).wallet).toBe('1.00'));
      await eventually(() =>
        expect(heard).toContainEqual({
          type: 'credited',
          rainId: 'told',
          claims: [
            { userId: 'cid', redPacketId: claim!.redPacketId, amount: '1.00', mark: expect.any(String) as string },
          ],
        }),
      );
    } finally {
      ear.disconnect();
    }
  });

  test('several rains, several shards, and pages without end', async () => {
    for (let i = 0; i < 5; i++) await wonRain(context, `many-${i}`, ['dan'], { shards: 3 });
    const { statementOf, context: options } = players();
    await eventually(async () => expect((await statementOf('dan')).wallet).toBe('5.00'));
    const seen: string[] = [];
    for (let after: Parameters<typeof options.openWalletStatement>[1]; ;) {
      const page = await options.openWalletStatement('dan', after, 2);
      expect(page.packets.length).toBeLessThanOrEqual(2);
      seen.push(...page.packets.map(({ rainId }) => rainId));
      if (page.next === undefined) break;
      const { readPlace } = await import('../../src/wallet/walletStatement.ts');
      after = readPlace(page.next);
    }
    expect(seen.toSorted()).toEqual(Array.from({ length: 5 }, (_, i) => `many-${i}`));
  });

  test('a user without wins has no money, and leaves no trace [R11]', async () => {
    const { statementOf } = players();
    await eventually(async () =>
      expect(await statementOf('nobody')).toEqual({
        userId: 'nobody',
        wallet: '0.00',
        pending: '0.00',
        packets: [],
        settled: true,
      }),
    );
  });
});

describe('while the worker runs', () => {
  test('[R5] two hundred requests at two wallet services at once, for forty winners, and a worker: each is credited once', async () => {
    const winners = Array.from({ length: 40 }, (_, i) => `crowd-${i}`);
    const [one, other] = [players(), players()];
    await eventually(async () =>
      expect((await one.statementOf('crowd-0')).settled && (await other.statementOf('crowd-0')).settled).toBe(true),
    );
    await wonRain(context, 'crowd', winners, { packets: 40 });
    // A rain is known for long before anybody wins in it; here it was made this moment, and the index is looked at five
    // times a second.
    for (const { statementOf } of [one, other])
      await eventually(async () => expect((await statementOf(winners[0]!)).packets).toHaveLength(1));
    const asked = Array.from({ length: 200 }, (_, i) =>
      (i % 2 === 0 ? one : other).statementOf(winners[Math.floor(i / 2) % 40]!),
    );
    await worker();
    // Credited or pending, never both and never neither. If the machine is too busy, the statement says so, or there is
    // no answer.
    const answers = (await Promise.allSettled(asked)).flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value] : [],
    );
    for (const { wallet, pending, settled, packets } of answers) {
      if (settled || packets.length > 0) expect([wallet, pending].toSorted()).toEqual(['0.00', '1.00']);
    }
    await eventually(async () => expect(await creditsOf('crowd')).toHaveLength(40));
    await carried('crowd', 40);
    for (const user of winners) expect(await context.ledger.balance(user)).toBe(100n);
    expect((await context.ledger.book('crowd'))!.credited).toEqual({ count: 40, cents: 4_000n });
  });

  test('[R5] two hundred at once for one winner: once', async () => {
    const { statementOf } = players();
    await eventually(async () => expect((await statementOf('eve')).settled).toBe(true));
    await wonRain(context, 'one', ['eve']);
    await worker();
    await Promise.allSettled(Array.from({ length: 200 }, () => statementOf('eve')));
    await carried('one', 1);
    expect(await context.ledger.balance('eve')).toBe(100n);
  });
});

describe('an external wallet', () => {
  let wallet: Wallet;
  let settings: Record<string, string>;
  beforeAll(async () => {
    wallet = await startWallet();
    settings = { PAYOUT_PROVIDER: 'webhook', WEBHOOK_URL: wallet.url, WEBHOOK_SECRET: WALLET_SECRET };
  });
  afterEach(() => expect(wallet.seen).toMatchObject({ unsigned: 0, rivals: 0, elsewhere: 0 }));
  afterAll(() => wallet?.stop());

  test('[R5] pays once, and is asked once', async () => {
    const [claim] = await wonRain(context, 'elsewhere', ['fay']);
    const { statementOf } = players(settings);
    await eventually(async () =>
      expect(await statementOf('fay')).toMatchObject({ wallet: '1.00', pending: '0.00', settled: true }),
    );
    expect(wallet.paymentOf(claim!.redPacketId)).toMatchObject({ userId: 'fay', amount: '1.00' });
    await statementOf('fay');
    expect(wallet.asksOf(claim!.redPacketId)).toBe(1);
  });

  test('that does not answer delays nobody, and one that answered "later" is not asked at once', async () => {
    const [gil, hal] = await wonRain(context, 'silent', ['gil', 'hal']);
    wallet.plan(gil!.redPacketId, ['payThenHang'], true);
    wallet.plan(hal!.redPacketId, [{ status: 503, headers: { 'retry-after': '30' } }], true);
    const { statementOf } = players(settings);
    await eventually(async () => expect((await statementOf('hal')).pending).toBe('1.00'));
    await eventually(() => expect(wallet.asksOf(hal!.redPacketId)).toBe(1));
    const begun = performance.now();
    expect(await statementOf('gil')).toMatchObject({
      wallet: '0.00',
      pending: '1.00',
      settled: false,
      note: expect.any(String),
      packets: [{ status: 'pending' }],
    });
    expect(performance.now() - begun).toBeLessThan(4_000);
    for (let i = 0; i < 5; i++) expect(await statementOf('hal')).toMatchObject({ pending: '1.00' });
    expect(wallet.asksOf(hal!.redPacketId)).toBe(1);
  });

  test('that refuses is not asked again and again, and the packet shows as held', async () => {
    const [claim] = await wonRain(context, 'refused', ['ida']);
    wallet.plan(claim!.redPacketId, [{ status: 422 }], true);
    const { statementOf } = players(settings);
    await eventually(async () =>
      expect(await statementOf('ida')).toMatchObject({
        wallet: '0.00',
        pending: '0.00',
        packets: [{ status: 'held', amount: '1.00' }],
      }),
    );
    await statementOf('ida');
    expect(wallet.asksOf(claim!.redPacketId)).toBe(1);
  });

  test('is not asked for a dead-lettered claim: it belongs to the operator', async () => {
    const [claim] = await wonRain(context, 'dead', ['joy']);
    const dead = createDeadQueue({
      connection: context.redis,
      prefix: QUEUE_PREFIX,
      onError: () => {},
      visiting: true,
    });
    const letter = {
      rainId: 'dead',
      shard: 0,
      index: 0,
      entry: JSON.stringify(claim),
      reason: 'unavailable' as const,
      detail: 'x',
    };
    const id = deadLetterId(letter);
    await dead.add('unavailable', letter, { jobId: id });
    const { statementOf } = players(settings);
    await eventually(async () =>
      expect(await statementOf('joy')).toMatchObject({ settled: true, packets: [{ status: 'held' }] }),
    );
    expect(wallet.asksOf(claim!.redPacketId)).toBe(0);
    // Discarded: the money is the operator's again, and no asking brings it back.
    expect(
      await discardDeadLetter(
        {
          ...context,
          queues: {
            dead,
            credit: createCreditQueue({
              connection: context.redis,
              prefix: QUEUE_PREFIX,
              onError: () => {},
              visiting: true,
            }),
          },
        },
        id,
        'test',
      ),
    ).toMatchObject({ ok: true, outcome: 'returned' });
    const later = players(settings);
    await eventually(async () =>
      expect(await later.statementOf('joy')).toMatchObject({
        settled: true,
        wallet: '0.00',
        packets: [{ status: 'held' }],
      }),
    );
    expect(wallet.asksOf(claim!.redPacketId)).toBe(0);
  });

  test('[R8] that pays what the operator discards at the same time is reported: a dead letter says that it was paid and is not in the ledger', async () => {
    const [claim] = await wonRain(context, 'unbooked', ['lea']);
    let answer = () => {};
    wallet.plan(claim!.redPacketId, [
      {
        payAndWaitFor: new Promise<void>((resolve) => {
          answer = resolve;
        }),
      },
    ]);
    const { statementOf } = players(settings);
    await eventually(async () => expect((await statementOf('joy')).settled).toBe(true));
    const asking = statementOf('lea');
    await eventually(() => expect(wallet.asksOf(claim!.redPacketId)).toBe(1));
    // The credit worker has given the same claim up meanwhile, and the operator takes its money back.
    const options = { connection: context.redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true };
    const queues = { dead: createDeadQueue(options), credit: createCreditQueue(options) };
    const entry = (await context.redis.lindex(shardKeys('unbooked', 0).claims, 0))!;
    const letter = { rainId: 'unbooked', shard: 0, index: 0, entry, reason: 'refused' as const, detail: 'x' };
    const id = deadLetterId(letter);
    await queues.dead.add('refused', letter, { jobId: id });
    expect(await discardDeadLetter({ ...context, queues }, id, 'test', true)).toMatchObject({
      ok: true,
      outcome: 'returned',
    });
    answer();
    await asking;
    await eventually(async () =>
      expect((await queues.dead.getJob(`${id}-paid`))?.data).toMatchObject({
        ...letter,
        reason: 'paid_not_booked',
        detail: expect.stringContaining('the wallet has paid it') as string,
      }),
    );
    expect(await creditsOf('unbooked')).toEqual([]);
  });
});

test('a settled rain still shows its wins', async () => {
  await wonRain(context, 'over', ['kim']);
  await worker({ settling: { tidyMs: 60_000 } });
  await closeRain(context, 'over');
  await eventually(async () => expect((await context.ledger.rain('over'))!.settledAt).toBeDefined(), {
    timeoutMs: 30_000,
  });
  const { statementOf } = players();
  await eventually(async () =>
    expect(await statementOf('kim')).toMatchObject({
      wallet: '1.00',
      settled: true,
      packets: [{ status: 'credited', title: 'The rain over' }],
    }),
  );
});
