import { expect, test } from 'vitest';
import { allocationOf } from '../../src/ledger/allocation.ts';
import { createPlanCheck, type PlanCheckOptions } from '../../src/ledger/planCheck.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { BookedRain } from '../../src/ledger/rains.ts';
import { commitmentOf } from '../../src/rain/commitment.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { redPacketId } from '../../src/rain/red-packet.ts';
import type { Claim } from '../../src/rain/claim.ts';

const SEED = 'ab'.repeat(32);
const split = { budget: '20.00', packets: 10, split: { method: 'double-mean' } };

function bookedRain(id: string, topUps: readonly { seed: string }[] = []): BookedRain {
  const promised = { rainId: id, shards: 2, plan: split };
  return {
    id,
    title: id,
    split,
    seed: SEED,
    shards: 2,
    opensAt: 0,
    closesAt: 1,
    terms: {},
    createdAt: 0,
    packets: 10 * (topUps.length + 1),
    budgetCents: 2_000n * BigInt(topUps.length + 1),
    topUps: topUps.map(({ seed }, i) => ({
      id: `${id}+${i}`,
      ordinal: i + 1,
      seed,
      split,
      packets: 10,
      budgetCents: 2_000n,
      createdAt: 0,
      commitment: commitmentOf({ ...promised, seed, first: 10 * (i + 1) }),
    })),
  };
}

/**
 * A plan check at a ledger of these rains, which counts what it does; the commitments are those of the rains as they
 * are now.
 */
function checking(rains: Record<string, BookedRain | undefined>, options: PlanCheckOptions = {}) {
  const recorded = new Map(
    Object.values(rains).map((rain) => [
      rain!.id,
      commitmentOf({ rainId: rain!.id, seed: rain!.seed, plan: rain!.split, shards: rain!.shards }),
    ]),
  );
  const seen = { reads: 0, computed: 0, broken: [] as string[], wait: Promise.resolve() };
  const ledger = {
    async rain(id: string) {
      seen.reads++;
      const found = rains[id];
      await seen.wait;
      return found;
    },
    actions: async (rainId: string) => [
      { actor: 'ann', verb: 'create', rainId, at: 0, details: { commitment: recorded.get(rainId)! } },
    ],
  } as unknown as Pick<Ledger, 'rain' | 'actions'>;
  const allocate: typeof allocationOf = (rain) => {
    seen.computed++;
    return allocationOf(rain);
  };
  const check = createPlanCheck(
    ledger,
    (rainId) => {
      seen.broken.push(rainId);
    },
    { allocate, ...options },
  );
  return {
    seen,
    outcomes: async (rainId: string, claims: readonly Claim[]) =>
      (await check(rainId, claims))?.map(({ outcome }) => outcome),
  };
}

const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** The claim to packet `index` of this rain, as its plan gives it. */
function honest(rain: BookedRain, index: number): Claim {
  return {
    rainId: rain.id,
    redPacketId: redPacketId(rain.id, index),
    amount: formatMoney(allocationOf(rain)[index]!),
    userId: `u${index}`,
    at: '1795000000000',
  };
}

test('[R14] each claim is judged by itself: packet and amount as in the plan, or what is wrong', async () => {
  const rain = bookedRain('r');
  const { outcomes, seen } = checking({ r: rain });
  const first = honest(rain, 0);
  expect(
    await outcomes('r', [
      first,
      { ...first, amount: '120.00' },
      { ...first, redPacketId: 'r-10' },
      { ...first, redPacketId: 'r-00' },
      { ...first, redPacketId: 'q-0' },
      honest(rain, 9),
      { ...first, rainId: 'q' },
    ]),
  ).toEqual(['ok', 'amount_differs', 'no_such_packet', 'no_such_packet', 'no_such_packet', 'ok', 'other_rain']);
  expect(await outcomes('unknown', [first])).toBeUndefined();
  expect(seen.computed).toBe(1);
});

test('[R10] a rain is read and computed once for all batches at once, and read again only after a while or before a claim is denied', async () => {
  let ms = 0;
  const rain = bookedRain('r');
  const { outcomes, seen } = checking({ r: rain }, { now: () => ms });
  await Promise.all(Array.from({ length: 20 }, (_, i) => outcomes('r', [honest(rain, i % 10)])));
  await outcomes('r', [honest(rain, 0)]);
  expect(seen).toMatchObject({ reads: 1, computed: 1 });
  ms = 60_000;
  await outcomes('r', [honest(rain, 0)]);
  expect(seen).toMatchObject({ reads: 2, computed: 1 });
  expect(await outcomes('r', [{ ...honest(rain, 0), amount: '120.00' }])).toEqual(['amount_differs']);
  expect(seen).toMatchObject({ reads: 3, computed: 1 });
});

test('a packet of a top-up that was booked meanwhile is in the plan, also when a read was under way before it', async () => {
  const before = bookedRain('r');
  const after = bookedRain('r', [{ seed: 'cd'.repeat(32) }]);
  const rains = { r: before };
  const { outcomes, seen } = checking(rains);
  let go!: () => void;
  seen.wait = new Promise((resolve) => {
    go = resolve;
  });
  const earlier = outcomes('r', [honest(before, 0)]);
  await turn();
  rains.r = after;
  const later = [outcomes('r', [honest(after, 15)]), outcomes('r', [honest(after, 3), honest(after, 19)])];
  go();
  expect([await earlier, ...(await Promise.all(later))]).toEqual([['ok'], ['ok'], ['ok', 'ok']]);
  expect(seen).toMatchObject({ reads: 2, computed: 2 });
  // A claim that is denied has a read under way, and a plan is known.
  const last = bookedRain(
    'r',
    ['cd', 'ef'].map((digits) => ({ seed: digits.repeat(32) })),
  );
  seen.wait = new Promise((resolve) => {
    go = resolve;
  });
  const denied = outcomes('r', [{ ...honest(after, 1), amount: '120.00' }]);
  await turn();
  rains.r = last;
  const joined = outcomes('r', [honest(last, 25)]);
  go();
  expect([await denied, await joined]).toEqual([['amount_differs'], ['ok']]);
});

test('a top-up that took the place of another one, as after a restore of the ledger, is what counts', async () => {
  const lost = bookedRain('r', [{ seed: 'cd'.repeat(32) }]);
  const rains = { r: lost };
  const { outcomes } = checking(rains);
  expect(await outcomes('r', [honest(lost, 12)])).toEqual(['ok']);
  rains.r = bookedRain('r', [{ seed: 'ef'.repeat(32) }]);
  expect(await outcomes('r', [honest(rains.r, 12)])).toEqual(['ok']);
  expect(await outcomes('r', [honest(lost, 12)])).toEqual(['amount_differs']);
});

test('[R14] a seed that was changed in the ledger is a fault that is reported once, until the seed is as it was', async () => {
  const rain = bookedRain('r');
  const rains = { r: rain };
  const { outcomes, seen } = checking(rains);
  rains.r = { ...rain, seed: 'cd'.repeat(32) };
  for (let i = 0; i < 3; i++)
    await expect(outcomes('r', [honest(rain, 0)])).rejects.toThrow('does not match the commitment');
  expect(seen).toMatchObject({ broken: ['r'], computed: 0 });
  rains.r = rain;
  expect(await outcomes('r', [honest(rain, 0)])).toEqual(['ok']);
});

test('[R10] plans are kept up to a number of bytes, those asked for lately', async () => {
  const rains = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, bookedRain(id)]));
  // Two of them fit: ten packets of eight bytes and what a rain takes besides.
  const { outcomes, seen } = checking(rains, { bytesMax: 3_000 });
  for (const id of ['a', 'b', 'a', 'c', 'a']) await outcomes(id, [honest(rains[id]!, 0)]);
  expect(seen.computed).toBe(3);
  await outcomes('b', [honest(rains['b']!, 0)]);
  expect(seen.computed).toBe(4);
});
