import { expect, onTestFinished, test } from 'vitest';
import { startSaleAuditor, type SaleAuditorOptions } from '../../src/maintenance/saleAuditor.ts';
import { registerSaleMetrics } from '../../src/maintenance/saleMetrics.ts';
import { startSaleRestorer } from '../../src/maintenance/saleRestorer.ts';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { repairSale } from '../../src/operator/sale/repair.ts';
import { showSale } from '../../src/operator/sale/show.ts';
import { resumeSale } from '../../src/operator/sale/transitions.ts';
import { openRegistry } from '../../src/platform/telemetry/metrics.ts';
import type { SaleKeys } from '../../src/store/saleKeys.ts';
import { openSaleStage } from '../operator/sale/saleStage.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';

const stage = await openSaleStage();
const { context } = stage;

/** A sale of ten tees, two of them with an order, and an auditor that has seen it. */
async function watchSale(id: string, options: Partial<SaleAuditorOptions> = {}) {
  const keys = await stage.open(id);
  await stage.buy(id, { userId: 'ann' }, { userId: 'bob' });
  await stage.write(id);
  const { log, heard } = listeningLog();
  const auditor = startSaleAuditor({ context, log, pauseMsMin: 10, pauseFactor: 1, quietMs: 600_000, ...options });
  onTestFinished(async () => {
    await auditor.close();
    await context.redis.flushall();
  });
  const seen = () => auditor.seen().get(id);
  await eventually(() => expect(seen()?.audit.report.balanced).toBe(true));
  const registry = openRegistry();
  registerSaleMetrics(registry, {
    ...context,
    auditor,
    counters: () => ({ expired: 0, followed: 0, cancelWishes: 0, forgedWishes: 0 }),
  });
  return {
    keys,
    heard,
    seen,
    registry,
    state: () => context.redis.hget(keys.state, 'state'),
    pauses: async () =>
      (await context.ledger.actions(id)).filter(({ verb, actor }) => verb === 'pause' && actor === 'auditor'),
    async auditedAgain() {
      const { at } = seen()!;
      await eventually(() => expect(seen()!.at).toBeGreaterThan(at));
    },
  };
}

/** The sale as Redis has it now. @returns puts it back as it was: the latest writes are lost, as in a failover */
async function snapshot({ state, stock, buyers, reservations, relayed }: SaleKeys): Promise<() => Promise<void>> {
  const kept = await Promise.all(
    [state, stock, buyers, reservations, relayed].map(
      async (key) => [key, await context.redis.dumpBuffer(key)] as const,
    ),
  );
  return async () => {
    const change = context.redis.multi();
    for (const [key, text] of kept)
      if (text === null) change.del(key);
      else change.restore(key, 0, text, 'REPLACE');
    for (const [error] of (await change.exec())!) if (error) throw error;
  };
}

test('lowered counts stop the sale before it is oversold, and the operator sees why; once resumed it is paused again only for another lie', async () => {
  const { keys, heard, state, pauses, registry, auditedAgain } = await watchSale('lowered');
  await context.redis.hincrby(keys.stock, 'tee:booked', -2);
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  expect(await state()).toBe('paused');
  const why = 'Redis counts 0 tee as booked; by the log and the ledger they are 2';
  expect((await pauses())[0]!.details).toMatchObject({ reason: why });
  expect(await showSale(context, 'lowered')).toMatchObject({ state: 'paused', pausedBecause: why });
  await eventually(() =>
    expect(heard.filter(({ level }) => level === 'error').map(({ msg }) => msg)).toEqual([
      expect.stringContaining('UNITS OF A LIVE SALE DO NOT ADD UP'),
      expect.stringContaining('A LIVE SALE WAS TAMPERED WITH'),
      expect.stringContaining('the sale is paused'),
    ]),
  );
  const metrics = await registry.metrics();
  for (const line of [
    'rain_sale_balanced{sale="lowered"} 0',
    'rain_sale_tampering{sale="lowered",kind="counts"} 1',
    'rain_sale_audit_last_success_timestamp_seconds{sale="lowered"} ',
  ])
    expect(metrics).toContain(line);
  expect(await resumeSale(context, 'lowered')).toMatchObject({ ok: true });
  expect(await showSale(context, 'lowered')).not.toHaveProperty('pausedBecause');
  await auditedAgain();
  await auditedAgain();
  expect([await state(), (await pauses()).length]).toEqual(['loaded', 1]);
  await context.redis.hset(keys.stock, 'mug', '0.01:1000:1000');
  await eventually(async () => expect(await pauses()).toHaveLength(2));
  expect(await state()).toBe('paused');
  // Put right, it adds up again.
  await context.redis.hset(keys.stock, 'mug', '9.90:1000:1000', 'tee:booked', 2);
  await eventually(() =>
    expect(heard).toContainEqual({
      level: 'warn',
      saleId: 'lowered',
      msg: expect.stringContaining('add up again') as string,
    }),
  );
});

test.each<[name: string, damage: (keys: SaleKeys) => Promise<unknown>, isNamed: boolean]>([
  ['no list of told reservations', (keys: SaleKeys) => context.redis.set(keys.told, 'x'), true],
  [
    'an auditor that is a list',
    async (keys: SaleKeys) => {
      await context.redis.del(keys.auditor);
      await context.redis.rpush(keys.auditor, 'x');
    },
    false,
  ],
  ['an auditor that never ends', (keys: SaleKeys) => context.redis.set(keys.auditor, 'thief'), false],
])('%s does not keep the workers from seeing that counts are wrong', async (name, damage, isNamed) => {
  const id = `blind${name.length}`;
  const { keys, pauses } = await watchSale(id);
  await damage(keys);
  await context.redis.hset(keys.stock, 'tee:units', 25);
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  expect((await repairSale(context, id, () => Promise.resolve())).ok).toBe(true);
  const { problems } = (await auditSale(context, id))!;
  expect(problems).toEqual(
    isNamed ? [expect.stringContaining('Redis has a string in the place of the told reservations')] : [],
  );
});

test('a word as state, with which the sale would go on selling, is replaced by a pause', async () => {
  const { keys, state, pauses } = await watchSale('word');
  await context.redis.hset(keys.state, 'state', 'open');
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  expect(await state()).toBe('paused');
  expect((await stage.buy('word', { userId: 'cem' }))[0]!.code).toBe('-4');
});

test.each(['draft', 'paused', 'closed'])(
  'a sale that a hand has made %s goes on selling, and is not paused for it',
  async (made) => {
    const id = `made-${made}`;
    const { keys, heard, state, pauses } = await watchSale(id);
    await context.redis.hset(keys.state, 'state', made);
    await eventually(async () => expect(await state()).toBe('loaded'));
    expect((await stage.buy(id, { userId: 'cem' }))[0]!.code).toBe('0');
    expect([await pauses(), heard.some(({ msg }) => String(msg).includes('it was put right'))]).toEqual([[], true]);
    expect((await context.ledger.actions(id)).at(-1)).toMatchObject({
      verb: 'repair',
      details: { fields: [{ field: 'state', found: made, right: 'loaded' }] },
    });
  },
);

test('a sale that is paused stays paused, whatever a hand makes of it; and with another lie in it none is put on sale again', async () => {
  const { keys, state, pauses } = await watchSale('stays');
  await context.redis.hset(keys.stock, 'mug', '0.01:1000:1000');
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  await context.redis.hset(keys.state, 'state', 'loaded');
  await eventually(async () => expect(await state()).toBe('paused'));
});

test('a buyer who is told something else than the ledger says hears what is so, and the sale is paused', async () => {
  const { keys, heard, state, pauses } = await watchSale('untrue', { quietMs: 0 });
  const entry = (await context.redis.hget(keys.buyers, 'ann'))!;
  await context.redis.hset(keys.buyers, 'ann', entry.replace(':r:', ':f:'));
  await eventually(async () => expect(await context.redis.hget(keys.buyers, 'ann')).toBe(entry.replace(':r:', ':o:')));
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  await eventually(() => expect(heard).toContainEqual(expect.objectContaining({ saleId: 'untrue', corrected: 1 })));
  expect(await state()).toBe('paused');
});

test('with ON_TAMPERING=report the sale goes on, and everybody else is told', async () => {
  const { keys, heard, state, pauses, auditedAgain, registry } = await watchSale('reported', { onTampering: 'report' });
  await context.redis.hset(keys.state, 'perUserMax', 1_000);
  await eventually(() => expect(heard.some(({ msg }) => String(msg).includes('TAMPERED'))).toBe(true));
  await auditedAgain();
  expect([await state(), await pauses()]).toEqual(['loaded', []]);
  expect(await registry.metrics()).toContain('rain_sale_tampering{sale="reported",kind="state"} 1');
});

/** Redis loses two reservations that have orders, and that an earlier one was cancelled. */
async function loseLatest(id: string, keys: SaleKeys): Promise<void> {
  const putBack = await snapshot(keys);
  await stage.buy(id, { userId: 'cem', quantity: 2, ref: 'r' }, { userId: 'dee' });
  await stage.write(id);
  await stage.step(id, 1, 'cancelled');
  await stage.step(id, 4, 'paid');
  await putBack();
}

async function expectWhole(id: string, keys: SaleKeys): Promise<void> {
  expect(await stage.audit(id)).toMatchObject({
    problems: [],
    behind: [],
    report: { balanced: true, orders: 4, items: [{ sold: 1, reserved: 3, pending: 0, left: 6 }, {}] },
  });
  expect(await context.redis.hmget(keys.stock, 'tee:booked', 'tee:sold')).toEqual(['4', '1']);
  expect(await context.redis.hget(keys.buyers, 'cem')).toMatch(/^3:tee:2:[ro]:\d{13}:[\w-]{16}:r;$/);
}

test('a hold that somebody else has made ends by itself when nothing else is wrong, and not before', async () => {
  const { keys, heard, state, pauses } = await watchSale('held');
  const held = () => context.redis.hget(keys.state, 'held');
  await context.redis.hset(keys.state, 'held', 'redis_behind');
  await eventually(async () => expect(await held()).toBeNull());
  await eventually(() =>
    expect(
      heard.some(({ level, msg }) => level === 'error' && String(msg).includes('somebody else has stopped this sale')),
    ).toBe(true),
  );
  expect([await state(), await pauses()]).toEqual(['loaded', []]);
  await context.redis.multi().hset(keys.state, 'held', 'gone fishing').hincrby(keys.stock, 'tee:booked', -2).exec();
  await eventually(async () => expect(await pauses()).toHaveLength(1));
  expect((await stage.audit('held')).problems[0]).toMatch(
    /^somebody has written "gone fishing" as "held" of the sale, so nothing is sold in it; a worker ends that/,
  );
  expect(await held()).toBe('gone fishing');
  await context.redis.hincrby(keys.stock, 'tee:booked', 2);
  await eventually(async () => expect(await held()).toBeNull());
  expect(await stage.audit('held')).toMatchObject({
    problems: [],
    notices: [
      expect.stringMatching(
        /^the background audit has paused the sale: Redis counts 0 tee as booked.*; when .* go on with: rain sale resume held$/,
      ),
    ],
  });
});

test('what a failover has lost is brought back from the ledger, and nobody is accused of it', async () => {
  const { keys, heard, seen, pauses } = await watchSale('lost', { quietMs: 0 });
  await loseLatest('lost', keys);
  await eventually(async () => {
    await stage.follow('lost');
    expect(seen()!.audit.report.balanced).toBe(true);
    await expectWhole('lost', keys);
  });
  expect(await pauses()).toEqual([]);
  await eventually(() =>
    expect(heard.some(({ msg }) => String(msg).includes('brought back from the ledger'))).toBe(true),
  );
  expect(heard.filter(({ saleId, msg }) => saleId === 'lost' && String(msg).includes('TAMPERED'))).toEqual([]);
});

test('the same is done by hand with audit --repair', async () => {
  const keys = await stage.open('byhand');
  await stage.buy('byhand', { userId: 'ann' }, { userId: 'bob' });
  await stage.write('byhand');
  await loseLatest('byhand', keys);
  expect((await stage.audit('byhand')).tampering).toEqual([]);
  expect(await repairSale(context, 'byhand', async () => {})).toMatchObject({ ok: true, counts: [] });
  await stage.follow('byhand');
  await expectWhole('byhand', keys);
});

test('after Redis was away, all live sales are compared with the ledger at once, and only once', async () => {
  const keys = await stage.open('away');
  await stage.buy('away', { userId: 'ann' }, { userId: 'bob' });
  await stage.write('away');
  let reconnectedAt = Infinity;
  const { log, heard } = listeningLog();
  const restorer = startSaleRestorer({
    context,
    log,
    everyMs: 5,
    sinceReconnect: () => performance.now() - reconnectedAt,
  });
  onTestFinished(() => restorer.close());
  await loseLatest('away', keys);
  reconnectedAt = performance.now();
  await eventually(async () => {
    await stage.follow('away');
    await expectWhole('away', keys);
  });
  await eventually(() =>
    expect(heard.filter(({ saleId }) => saleId === 'away')).toEqual([
      {
        level: 'warn',
        saleId: 'away',
        putBack: 2,
        behind: 1,
        taken: [],
        msg: expect.stringContaining('had lost') as string,
      },
    ]),
  );
});
