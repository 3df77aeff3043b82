import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AT_ONCE } from '../../../src/console/routes/atOnce.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { eventually } from '../../support/eventually.ts';
import { newRain } from '../../ledger/claims.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

/**
 * Requests that a viewer may make, and that take long: the console runs in the process of this test, so that its loop
 * can be watched.
 */
let testConsole: TestConsole;
let vera: Visitor;
let opal: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  [vera, opal] = [await testConsole.signIn('vera'), await testConsole.signIn('opal')];
  for (const [id, provider] of [
    ['hook', 'webhook_v2'],
    ['home', 'ledger'],
  ] as const) {
    await testConsole.ledger.createRain(newRain(id, 1_000n), 'ann');
    await testConsole.ledger.assignPayout(id, provider);
  }
});
afterAll(() => testConsole?.stop());

/** Longest time in which nothing else was answered, ms. */
async function standstillIn(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  await work();
  delays.disable();
  return delays.max / 1_000_000;
}
/** Many stop nobody for longer than a second, or on a slow machine than a few times as long as one does. */
async function expectNoStandstill(one: () => Promise<unknown>, many: () => Promise<unknown>): Promise<void> {
  const alone = await standstillIn(one);
  expect(await standstillIn(many)).toBeLessThan(Math.max(1_000, 4 * alone));
}
const twelve = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 12 }, work));
/** How many were answered; all others are refused with a time after which to ask again. */
function answered(answers: { status: number; headers: Headers }[]): number {
  const refused = answers.filter(({ status }) => status === 429);
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  return answers.length - refused.length;
}

const preview = (visitor: Visitor, packets: number) =>
  visitor.ask('POST', '/api/console/rains/preview', { plan: { budget: '9999999.00', packets } });

test('[R10] a viewer who asks for many large previews at once stops nobody, and gets a few', async () => {
  const many = async () => {
    const [answers, other, small] = await Promise.all([
      twelve(() => preview(vera, 1_000_000)),
      preview(opal, 1_000_000),
      preview(opal, 100),
    ]);
    expect(answered(answers)).toBeLessThan(6);
    for (const { status, body } of [other, small])
      expect([status, body]).toMatchObject([200, { ok: true, budget: '9999999.00' }]);
  };
  await expectNoStandstill(() => preview(opal, 1_000_000), many);
});

/** As a list, and as a sheet. */
const ENDS = ['', '.csv'] as const;
const statement = Buffer.from(
  `id,amount,time\n${'hook-0:somebody-with-a-name:0.01,0.01,1795000000000\n'.repeat(40_000)}`,
);
const post = (visitor: Visitor, rainId: string, end: (typeof ENDS)[number], signal: AbortSignal | null = null) =>
  fetch(`${testConsole.url}/api/console/rains/${rainId}/reconcile${end}`, {
    method: 'POST',
    headers: { cookie: visitor.cookie, 'x-csrf-token': visitor.csrf, 'content-type': 'text/csv' },
    body: statement,
    signal,
  });
async function reconcile(visitor: Visitor, rainId: string, end: (typeof ENDS)[number]) {
  const { status, headers, body } = await post(visitor, rainId, end);
  await body?.pipeTo(new WritableStream());
  return { status, headers };
}

test.each([...ENDS])(
  '[R10] a viewer who sends many large statements at once (reconcile%s) stops nobody: one is read at a time',
  async (end) => {
    const many = async () => {
      const [answers, other] = await Promise.all([
        twelve(() => reconcile(vera, 'hook', end)),
        reconcile(opal, 'hook', end),
      ]);
      expect(answered(answers)).toBeLessThan(6);
      expect(other.status).toBe(200);
    };
    await expectNoStandstill(() => reconcile(opal, 'hook', end), many);
    expect((await reconcile(vera, 'hook', end)).status).toBe(200);
  },
);

test.each([...ENDS])(
  '[R10] a statement for a rain without a wallet (reconcile%s) is refused before it is read',
  async (end) => {
    const many = async () => {
      expect((await twelve(() => reconcile(vera, 'home', end))).map(({ status }) => status)).toEqual(
        Array(12).fill(422),
      );
    };
    await expectNoStandstill(() => reconcile(vera, 'home', end), many);
  },
);

test.each([
  ['rains', 'audit'],
  ['sales', 'audit'],
  ['rains', 'winners.csv'],
  ['sales', 'orders.csv'],
])('[R10] a viewer who asks for many of %s/%s at once gets a few, and others get theirs', async (kind, what) => {
  const id = `heavy-${kind}-${what.slice(0, 5)}`;
  const opensAt = (await redisNow(testConsole.redis)) + 60_000;
  const more =
    kind === 'rains'
      ? { plan: { budget: '10.00', packets: 20 } }
      : { items: [{ sku: 'tee', units: 10, price: '19.90' }], holdMs: 60_000, perUserMax: 1, load: false };
  expect(
    await opal.ask('POST', `/api/console/${kind}`, {
      id,
      title: 'Heavy',
      opensAt,
      closesAt: opensAt + 60_000,
      ...more,
    }),
  ).toMatchObject({ status: 201 });
  const read = (visitor: Visitor) => visitor.ask('GET', `/api/console/${kind}/${id}/${what}`);
  const [answers, other] = await Promise.all([twelve(() => read(vera)), read(opal)]);
  expect(answered(answers)).toBeLessThan(12);
  expect(other.status).toBe(200);
  expect((await read(vera)).status).toBe(200);
});

test('the audits and the verification that a page asks for at one moment are all answered', async () => {
  const opensAt = (await redisNow(testConsole.redis)) + 60_000;
  expect(
    await opal.ask('POST', '/api/console/rains', {
      id: 'watched',
      plan: { budget: '10.00', packets: 20 },
      opensAt,
      closesAt: opensAt + 60_000,
    }),
  ).toMatchObject({ status: 201 });
  for (const verb of ['start', 'close', 'recycle'])
    expect(await opal.ask('POST', `/api/console/rains/watched/${verb}`)).toMatchObject({ status: 200 });
  const answers = await Promise.all(
    ['audit', 'audit', 'audit', 'audit', 'verify'].map((what) => opal.ask('GET', `/api/console/rains/watched/${what}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
});

test.each([
  ['', 'begun'],
  ['.csv', 'begun'],
  ['.csv', 'answered'],
] as const)('a place is free again when its visitor leaves in the middle (reconcile%s, %s)', async (end, when) => {
  const isFree = () => {
    const give = AT_ONCE.comparisons('vera');
    give?.();
    return give !== undefined;
  };
  const gone = new AbortController();
  const left = post(vera, 'hook', end, gone.signal).catch(() => {});
  await eventually(() => !isFree(), { everyMs: 1 });
  if (when === 'answered') await left;
  gone.abort();
  await left;
  await eventually(isFree);
});
