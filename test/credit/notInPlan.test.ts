import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { creditJobId, type CreditJob } from '../../src/credit/job.ts';
import { ledgerProvider } from '../../src/credit/ledgerProvider.ts';
import { payoutByProvider, type NamedPayoutProvider } from '../../src/credit/payoutProviders.ts';
import { webhookProviders } from '../../src/credit/webhookProvider.ts';
import { allocationOf } from '../../src/ledger/allocation.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { claimOf, expectBalanced, newRain } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { openRoom, type Room } from './room.ts';
import { SECRET, startWallet, type Wallet } from './wallet.ts';

let room: Room;
let wallet: Wallet;
beforeAll(async () => {
  [room, wallet] = await Promise.all([openRoom(), startWallet()]);
});
afterEach(async () => {
  await room.rest();
  await expectBalanced(room.database);
});
afterAll(async () => {
  await room?.stop();
  await wallet?.stop();
});

/** Ten packets, together 100.00, and the claims of ten users to them as the plan has them. */
async function plannedRain(id: string, rehearsal = false): Promise<Claim[]> {
  const split = { budget: '100.00', packets: 10, split: { method: 'double-mean' } };
  await room.ledger.createRain(newRain(id, 10_000n, { split, ...(rehearsal && { terms: { rehearsal } }) }), 'ann');
  const amounts = allocationOf((await room.ledger.rain(id))!);
  return Array.from(amounts, (cents, n) =>
    claimOf(id, n, { redPacketId: `${id}-${n}`, amount: formatMoney(cents), userId: `${id}-u${n}` }),
  );
}

const providers: Record<string, () => NamedPayoutProvider> = {
  ledger: () => ({ payoutProvider: 'ledger', balance: ledgerProvider(room.ledger) }),
  webhook: () => ({
    payoutProvider: 'webhook_v2',
    balance: webhookProviders(room.ledger, {
      url: wallet.url,
      secret: SECRET,
      receipts: 'required',
      batchMax: 10,
      timeoutMs: 5_000,
    }).webhook_v2,
  }),
};
const broken: string[] = [];
/** A worker as the product has it. */
function work(provider = 'ledger', options: Parameters<Room['work']>[0] = {}): void {
  const balance = payoutByProvider(room.ledger, providers[provider]!(), {
    onElsewhere: () => {},
    onBrokenPlan: (rainId) => {
      broken.push(rainId);
    },
  });
  room.work({ balance, discardedClaims: room.ledger.discardedClaims, ...options });
}
async function add(rainId: string, claims: readonly Claim[], from = 0) {
  const job: CreditJob = { rainId, shard: 0, from, entries: claims.map((claim) => JSON.stringify(claim)) };
  return await room.queue.add('range', job, { jobId: creditJobId(job) });
}
const drained = () =>
  eventually(
    async () => {
      for (const queue of [room.queue, room.later])
        expect(await queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(0);
    },
    { timeoutMs: 20_000 },
  );
const paidUsers = async (rainId: string) => (await room.ledger.credits(rainId)).map(({ userId }) => userId).sort();
const asked = (rainId: string) =>
  wallet.asked.flatMap(({ packets }) => packets).filter((packet) => packet.startsWith(`${rainId}-`));

describe.each([
  ['ledger', false],
  ['webhook', false],
  ['ledger', true],
])('[R14] paid by the %s (rehearsal: %s)', (provider, rehearsal) => {
  const name = `${provider}${rehearsal ? '-try' : ''}`;

  test('a claim to a packet that was never made is a dead letter, and nobody is paid or asked', async () => {
    const id = `made-up-${name}`;
    await plannedRain(id, rehearsal);
    work(provider);
    await add(id, [
      claimOf(id, 0, { redPacketId: `${id}-10`, amount: '50.00', userId: 'thief' }),
      claimOf(id, 1, { redPacketId: 'anything', amount: '50.00', userId: 'thief' }),
    ]);
    await drained();
    expect(await room.letters(id)).toMatchObject([
      { reason: 'not_in_plan', detail: `the plan has no packet ${id}-10` },
      { reason: 'not_in_plan', detail: 'the plan has no packet anything' },
    ]);
    expect([await paidUsers(id), asked(id)]).toEqual([[], []]);
  });

  test('a claim to more than its packet holds is a dead letter, and the honest ones beside it are paid at the first attempt', async () => {
    const id = `raised-${name}`;
    const claims = await plannedRain(id, rehearsal);
    work(provider);
    const job = await add(
      id,
      claims.map((claim, n) => (n === 4 ? { ...claim, amount: '120.00' } : claim)),
    );
    await drained();
    expect(await room.letters(id)).toMatchObject([
      { index: 4, reason: 'not_in_plan', detail: `in the plan ${id}-4 holds ${claims[4]!.amount}` },
    ]);
    expect(await paidUsers(id)).toEqual(claims.filter((_, n) => n !== 4).map(({ userId }) => userId));
    expect((await room.queue.getJob(job.id!))!.attemptsMade).toBe(1);
    expect(new Set(asked(id))).toEqual(
      new Set(provider === 'webhook' ? claims.filter((_, n) => n !== 4).map(({ redPacketId }) => redPacketId) : []),
    );
    // Sent again as it is, it ends in the same letter.
    await add(id, [{ ...claims[4]!, amount: '120.00' }], 4);
    await drained();
    expect((await room.letters(id)).map(({ index, reason }) => [index, reason])).toEqual([[4, 'not_in_plan']]);
  });
});

test('a packet that the plan holds and that was told to two users keeps its reason', async () => {
  const [first, second] = await plannedRain('two');
  work();
  await add('two', [first!, { ...first!, userId: 'late', at: second!.at }]);
  await drained();
  expect((await room.letters('two')).map(({ reason }) => reason)).toEqual(['told_twice']);
});

test('[R14] while the seed in the ledger is another one nobody is paid and nothing is given up; then all are paid', async () => {
  const claims = await plannedRain('seed');
  const { seed } = (await room.ledger.rain('seed'))!;
  await room.database.rain.update({ where: { id: 'seed' }, data: { seed: 'cd'.repeat(32) } });
  work();
  const job = await add('seed', claims);
  await eventually(async () => expect((await room.queue.getJob(job.id!))!.attemptsMade).toBeGreaterThan(2));
  expect([await paidUsers('seed'), await room.letters('seed'), broken]).toEqual([[], [], ['seed']]);
  await room.database.rain.update({ where: { id: 'seed' }, data: { seed } });
  await drained();
  expect(await paidUsers('seed')).toHaveLength(10);
});

test('claims of a rain that the ledger does not have wait for it, as after a restore of an older ledger', async () => {
  work('ledger', { retryPolicy: { firstDelayMs: 50, delayMsMax: 100, attemptsMax: 1_000, totalMsMax: 60_000 } });
  await add('absent', [claimOf('absent', 0, { redPacketId: 'absent-0', amount: '10.00' })]);
  await eventually(async () => expect(await room.later.getJobCountByTypes('delayed')).toBe(1));
  await room.ledger.createRain(
    newRain('absent', 1_000n, { packets: 1, split: { budget: '10.00', packets: 1, split: { method: 'even' } } }),
    'ann',
  );
  await drained();
  expect([await paidUsers('absent'), await room.letters('absent')]).toEqual([['u0'], []]);
});
