import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PayoutProvider } from '../../src/credit/payoutProvider.ts';
import { claimIdOf } from '../../src/credit/claimId.ts';
import { creditJobId, type CreditJob } from '../../src/credit/job.ts';
import type { RetryPolicy } from '../../src/credit/retryPolicy.ts';
import { webhookProviders, type WebhookOptions } from '../../src/credit/webhookProvider.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { claimOf, claimsOf, expectBalanced, newRain, sumOfFirst } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { openRoom, type Room } from './room.ts';
import { SECRET, startWallet, type Behaviour, type Wallet } from './wallet.ts';

const retryPolicy: RetryPolicy = { firstDelayMs: 10, delayMsMax: 40, attemptsMax: 5, totalMsMax: 60_000 };

describe('an external wallet', () => {
  let room: Room;
  let wallet: Wallet;
  beforeAll(async () => {
    [room, wallet] = await Promise.all([openRoom(), startWallet()]);
  });
  afterEach(async () => {
    await room.rest();
    await expectBalanced(room.database);
    // It was never redirected, never asked to pay a packet to another user, never called without a signature.
    expect(wallet.seen).toMatchObject({ elsewhere: 0, rivals: 0, unsigned: 0 });
  });
  afterAll(async () => {
    await room?.stop();
    await wallet?.stop();
  });

  const payoutProvider = (
    options: Partial<WebhookOptions> = {},
    ledger: Pick<Ledger, 'reserve' | 'credit'> = room.ledger,
  ): PayoutProvider =>
    webhookProviders(ledger, {
      url: wallet.url,
      secret: SECRET,
      receipts: 'required',
      batchMax: 1,
      timeoutMs: 5_000,
      ...options,
    }).webhook_v2;
  const jobOf = (rainId: string, claims: readonly Claim[], from = 0): CreditJob => ({
    rainId,
    shard: 0,
    from,
    entries: claims.map((claim) => JSON.stringify(claim)),
  });
  const add = (job: CreditJob, again?: string) => room.queue.add('range', job, { jobId: creditJobId(job, again) });
  const credits = async (rainId: string) =>
    new Map((await room.ledger.credits(rainId)).map((credit) => [credit.redPacketId, credit]));
  const drained = () =>
    eventually(
      async () => {
        for (const queue of [room.queue, room.later])
          if ((await queue.getJobCountByTypes('waiting', 'active', 'delayed')) > 0) return false;
        return true;
      },
      { timeoutMs: 30_000 },
    );

  /**
   * Checks that every credit was paid to the same user with the same amount, and every other claim is a dead letter.
   * @returns the dead letters by index
   */
  async function outcome(rainId: string, claims: readonly Claim[]): Promise<[number, string][]> {
    await drained();
    const [booked, letters] = [await credits(rainId), await room.letters(rainId)];
    for (const { userId, redPacketId, amountCents } of booked.values()) {
      expect(wallet.paymentOf(redPacketId)).toMatchObject({ userId, redPacketId, amount: formatMoney(amountCents) });
    }
    expect(booked.size + letters.length).toBe(claims.length);
    for (const { entry } of letters) {
      const { redPacketId, userId } = JSON.parse(entry) as Claim;
      expect(booked.get(redPacketId)?.userId).not.toBe(userId);
    }
    return letters.map(({ index, reason }) => [index, reason]);
  }

  interface Meeting {
    rainId: string;
    behaviours: Behaviour[];
    always?: boolean;
  }

  /** Six claims each, of which the fourth meets this; all rains at once, and nothing of them is left to do. */
  async function meetAll(batchMax: number, meetings: readonly Meeting[]): Promise<void> {
    await Promise.all(
      meetings.map(async ({ rainId, behaviours, always }) => {
        await room.ledger.createRain(newRain(rainId, 1_000n), 'ann');
        wallet.plan(`${rainId}-p3`, behaviours, always);
      }),
    );
    room.work({ retryPolicy, balance: payoutProvider({ batchMax, timeoutMs: 200 }) });
    for (const { rainId } of meetings) await add(jobOf(rainId, claimsOf(rainId, 0, 6)));
    await drained();
  }

  /** One such rain; answers with the dead letters. */
  async function meet(rainId: string, batchMax: number, behaviours: Behaviour[]): Promise<[number, string][]> {
    await meetAll(batchMax, [{ rainId, behaviours }]);
    return outcome(rainId, claimsOf(rainId, 0, 6));
  }

  const PASSING: [string, Behaviour][] = [
    ['is slow beyond the timeout, and pays', 'payThenSlow'],
    ['pays and never answers', 'payThenHang'],
    ['pays and closes the line', 'payThenClose'],
    ['pays and closes it in mid-answer', 'payThenCut'],
    ['pays and answers without end', 'payThenHuge'],
    ['pays and answers nonsense', 'payThenNonsense'],
    ['never answers', 'hang'],
    ['closes the line', 'close'],
    ['does not speak HTTP', 'garbage'],
    ['redirects', 'redirect'],
    ['has paid before', 'payBefore'],
    ['has paid, and says so in its shortest form', 'payAlready'],
    ['says done and gives no receipt', 'lie'],
    ['gives a receipt for another amount', 'lieAboutAmount'],
    ['says that it paid before, and not whom', 'lieAlready'],
    ['echoes the request', 'echo'],
    ['refuses in an answer that is cut off', 'refuseThenCut'],
    ['gives a receipt at the head of an answer that is cut off', 'receiptThenCut'],
    ['answers 500', { status: 500, body: 'oh\nno' }],
    ['answers 503', { status: 503, headers: { 'retry-after': 'soon' } }],
    ['answers 408', { status: 408 }],
    ['answers 429 with Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
  ];
  const LASTING: Behaviour[] = [
    'hang',
    'payThenHang',
    'redirect',
    { status: 500 },
    'lie',
    'lieAboutAmount',
    'lieAlready',
    'echo',
  ];
  describe.each([
    ['one claim at a time', 1, 'one'],
    ['a batch', 6, 'all'],
  ] as const)('that is asked for %s', (_form, batchMax, name) => {
    const six = (rainId: string) => claimsOf(rainId, 0, 6);
    const once = (behaviour: Behaviour) => `${name}-once-${PASSING.findIndex(([, other]) => other === behaviour)}`;
    const always = (behaviour: Behaviour) =>
      `${name}-always-${typeof behaviour === 'string' ? behaviour : behaviour.status}`;
    const refused = `${name}-refused`;
    beforeAll(() =>
      meetAll(batchMax, [
        ...PASSING.map(([, behaviour]) => ({ rainId: once(behaviour), behaviours: [behaviour] })),
        ...LASTING.map((behaviour) => ({ rainId: always(behaviour), behaviours: [behaviour], always: true })),
        {
          rainId: refused,
          behaviours: [{ status: 422, body: 'account\u001b[31m closed' }],
          always: true,
        },
      ]),
    );

    it.each(PASSING)('[R5] and once %s: every claim is paid and credited once', async (_what, behaviour) => {
      const rainId = once(behaviour);
      expect(await outcome(rainId, six(rainId))).toEqual([]);
      expect((await credits(rainId)).size).toBe(6);
    });

    it.each(LASTING)(
      '[R10] and always does so (%j): the others are credited, the one is dead, and credited once when it is sent again',
      async (behaviour) => {
        const rainId = always(behaviour);
        expect(await outcome(rainId, six(rainId))).toEqual([[3, 'unavailable']]);
        expect(wallet.asksOf(`${rainId}-p3`)).toBe(retryPolicy.attemptsMax);
        wallet.plan(`${rainId}-p3`, []);
        room.work({ retryPolicy, balance: payoutProvider({ batchMax, timeoutMs: 200 }) });
        await add(jobOf(rainId, [claimOf(rainId, 3)], 3), 'by-hand');
        await eventually(async () => expect((await credits(rainId)).size).toBe(6));
        expect(wallet.paymentOf(`${rainId}-p3`)).toMatchObject({ userId: 'u3', amount: '0.04' });
      },
    );

    it("and refuses one of them: it is dead-lettered with the wallet's answer, no other is delayed", async () => {
      expect(await outcome(refused, six(refused))).toEqual([[3, 'refused']]);
      expect((await room.letters(refused))[0]!.detail).toBe('the wallet answered 422: account [31m closed');
      expect(wallet.paymentOf(`${refused}-p3`)).toBe(undefined);
    });

    it('of 500 with one that is never accepted: the others are credited with one retry at most, that one is dead-lettered', async () => {
      const rainId = `${name}-poison`;
      const claims = claimsOf(rainId, 0, 500);
      const told: number[] = [];
      wallet.plan(`${rainId}-p250`, [{ status: 500 }], true);
      await room.ledger.createRain(newRain(rainId, sumOfFirst(500)), 'ann');
      room.work({
        retryPolicy,
        balance: payoutProvider({ batchMax: batchMax === 1 ? 1 : 50 }),
        onCredited: async (_rainId, _shard, some) => void told.push(some.length),
      });
      await add(jobOf(rainId, claims));
      expect(await outcome(rainId, claims)).toEqual([[250, 'unavailable']]);
      expect(told).toEqual(batchMax === 1 ? [499] : [450, 49]);
      expect(wallet.asksOf(`${rainId}-p250`)).toBe(retryPolicy.attemptsMax);
      expect([wallet.asksOf(`${rainId}-p0`), wallet.asksOf(`${rainId}-p251`)]).toEqual([1, batchMax === 1 ? 1 : 2]);
    });
  });

  it.each([
    ['webhook', 1, 'payBefore'],
    ['webhook', 6, 'payAlready'],
    ['webhook_v2', 1, 'payBefore'],
  ] as const)(
    '[R2] that has paid the same id to somebody else before a backup was restored credits nobody (%s, %i per request)',
    async (idForm, batchMax, behaviour) => {
      const rainId = `restored-${idForm}-${batchMax}`;
      await room.ledger.createRain(newRain(rainId, 1_000n), 'ann');
      const claim = claimOf(rainId, 0);
      const claimId = claimIdOf(idForm, claim);
      wallet.paid.set(claimId, { ...claim, claimId, userId: 'told-first' });
      wallet.plan(claim.redPacketId, [behaviour]);
      room.work({
        retryPolicy,
        balance: webhookProviders(room.ledger, {
          url: wallet.url,
          secret: SECRET,
          receipts: 'required',
          batchMax,
          timeoutMs: 5_000,
        })[idForm],
      });
      await add(jobOf(rainId, [claim]));
      await drained();
      expect((await credits(rainId)).size).toBe(0);
      const [letter] = await room.letters(rainId);
      expect(letter).toMatchObject({
        reason: 'paid_differs',
        detail: `the wallet has paid ${claimId} before: {"amount":"0.01","userId":"told-first"}`,
      });
      const discarding = {
        letterId: 'x',
        rainId,
        entry: letter!.entry,
        deadReason: letter!.reason,
        reason: 'looked',
        actor: 'ann',
      };
      const given = { redPacketId: claim.redPacketId, userId: claim.userId, claimedCents: 1n, allocatedCents: 1n };
      expect(await room.ledger.discard({ ...discarding, claim: given })).toEqual({ outcome: 'maybe_paid' });
    },
  );

  it.each([
    ['answers for others only', 'others', []],
    ['asks for another try', 'retry', []],
    ['refuses them all', 'refuse', [0, 1, 2, 3, 4, 5].map((i) => [i, 'refused'])],
  ] as [string, Behaviour, [number, string][]][])(
    'that is asked for a batch and %s',
    async (_what, behaviour, letters) => {
      expect(await meet(`batch-${String(behaviour)}`, 6, [behaviour])).toEqual(letters);
      for (const { detail } of await room.letters('batch-refuse'))
        expect(detail).toBe('the wallet said refused: account closed');
    },
  );

  it('that asks for a second is given a second', async () => {
    await meet('patient', 1, [{ status: 503, headers: { 'retry-after': '1' } }]);
    const [first, second] = wallet.asked.filter(({ packets }) => packets.includes('patient-p3'));
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(995);
  });

  it.each([1, 6])(
    '[R5] is asked with the same id when the worker dies between payment and ledger, and when it dies before it (%i per request)',
    async (batchMax) => {
      const rainId = `dies-${batchMax}`;
      const claims = claimsOf(rainId, 0, 6);
      const deaths = { reserve: 1, credit: 2 };
      const dying = <T>(step: keyof typeof deaths, done: T): T => {
        if (deaths[step]-- > 0) throw new Error(`died after ${step}`);
        return done;
      };
      await room.ledger.createRain(newRain(rainId, 1_000n), 'ann');
      // The first death leaves reservations behind, the second payments, the third payments and credits.
      room.work({
        retryPolicy,
        balance: payoutProvider(
          { batchMax },
          {
            reserve: async (some) => dying('reserve', await room.ledger.reserve(some)),
            credit: async (some) =>
              deaths.credit === 2 ? dying('credit', []) : dying('credit', await room.ledger.credit(some)),
          },
        ),
      });
      await add(jobOf(rainId, claims));
      expect(await outcome(rainId, claims)).toEqual([]);
      const asks = wallet.asked.filter(({ packets }) => packets.includes(`${rainId}-p0`));
      expect(asks).toHaveLength(2);
      expect(new Set(asks.map(({ key }) => key)).size).toBe(1);
    },
  );

  it('[R2] is asked for one user only when a failover has handed a packet out twice, whichever job comes first', async () => {
    await room.ledger.createRain(newRain('failover', sumOfFirst(40)), 'ann');
    const claims = claimsOf('failover', 0, 40);
    const rivals = claims.map((claim) => ({
      ...claim,
      userId: `other-${claim.userId}`,
      at: String(Number(claim.at) + 60_000),
    }));
    for (const { redPacketId } of claims.slice(0, 5)) wallet.plan(redPacketId, ['payThenHang', 'close']);
    room.work({ retryPolicy, balance: payoutProvider({ timeoutMs: 300 }) });
    room.work({ retryPolicy, balance: payoutProvider({ timeoutMs: 300 }) });
    await Promise.all([add(jobOf('failover', claims)), add(jobOf('failover', rivals, 40))]);
    const letters = await outcome('failover', [...claims, ...rivals]);
    expect(letters.map(([, reason]) => reason)).toEqual(Array(40).fill('told_twice'));
    expect(await room.ledger.book('failover')).toMatchObject({ credited: { count: 40, cents: sumOfFirst(40) } });
  });

  it("[R1] is not asked for what the ledger has already, nor for a user's second packet, nor beyond the budget", async () => {
    await room.ledger.createRain(newRain('unasked', 1_000n), 'ann');
    await room.ledger.credit([claimOf('unasked', 0)]);
    const claims = [
      claimOf('unasked', 0),
      claimOf('unasked', 1, { userId: 'u0' }),
      claimOf('unasked', 2, { amount: '99999.99' }),
    ];
    room.work({ retryPolicy, balance: payoutProvider() });
    const before = wallet.asked.length;
    await add(jobOf('unasked', claims));
    await drained();
    expect((await room.letters('unasked')).map(({ index, reason }) => [index, reason])).toEqual([
      [1, 'told_twice'],
      [2, 'refused'],
    ]);
    expect(wallet.asked.length).toBe(before);
  });

  it('[R10] gets no more concurrent requests from all jobs together than configured', async () => {
    await room.ledger.createRain(newRain('crowd', sumOfFirst(100)), 'ann');
    wallet.seen.atOnceMax = 0;
    room.work({ retryPolicy, balance: payoutProvider({ requestsMax: 5 }) });
    for (let from = 0; from < 100; from += 25) await add(jobOf('crowd', claimsOf('crowd', from, from + 25), from));
    expect(await outcome('crowd', claimsOf('crowd', 0, 100))).toEqual([]);
    expect(wallet.seen.atOnceMax).toBe(5);
  });

  it('with another secret pays nothing and gives nothing up, and an unreachable one is reported as such', async () => {
    await room.ledger.createRain(newRain('secret', 1_000n), 'ann');
    expect(await payoutProvider({ secret: `${SECRET}!` }).post('secret', [claimOf('secret', 0)])).toEqual([
      { outcome: 'reconsumeLater', detail: 'the wallet answered 401' },
    ]);
    expect(wallet.seen.unsigned).toBe(1);
    wallet.seen.unsigned = 0;
    expect(wallet.paymentOf('secret-p0')).toBe(undefined);
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await payoutProvider({ url }).post('secret', [claimOf('secret', 0)])).toEqual([
      { outcome: 'reconsumeLater', detail: 'the wallet: no answer: ECONNREFUSED' },
    ]);
    expect(await room.ledger.book('secret')).toMatchObject({ credited: { count: 0 } });
  });
});
