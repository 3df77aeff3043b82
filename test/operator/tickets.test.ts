import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRain } from '../../src/operator/create.ts';
import { showRain } from '../../src/operator/list.ts';
import { loadRain } from '../../src/operator/load.ts';
import { createSale } from '../../src/operator/sale/create.ts';
import { openSale } from '../../src/operator/sale/open.ts';
import { showSale } from '../../src/operator/sale/show.ts';
import { endSale } from '../../src/operator/sale/transitions.ts';
import { setTickets, setTicketsOfSale } from '../../src/operator/tickets.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

const TICKETS = { tickets: 'always', proofOfWork: 'off' } as const;
const WORK = { tickets: 'always', proofOfWork: 'always' } as const;

async function plan(id: string, more: object = {}) {
  const now = await redisNow(context.redis);
  return await createRain(context, {
    id,
    plan: { budget: '10.00', packets: 5 },
    opensAt: now + 60_000,
    closesAt: now + 90_000,
    shards: 2,
    ...more,
  });
}
async function planSale(id: string, more: object = {}) {
  const now = await redisNow(context.redis);
  return await createSale(context, {
    id,
    items: [{ sku: 'tee', units: 5, price: '1.00' }],
    holdMs: 60_000,
    opensAt: now + 60_000,
    closesAt: now + 90_000,
    ...more,
  });
}
const inRedis = (id: string) =>
  Promise.all([0, 1].map((shard) => context.redis.hget(shardKeys(id, shard).state, 'ticketRules')));

describe('the ticket rules of a rain', () => {
  test('are given at its creation, changed while it runs, shown, and recorded; what is not given stays', async () => {
    expect(await plan('given', { ticketRules: TICKETS })).toMatchObject({ ok: true });
    expect(await inRedis('given')).toEqual(['always:off', 'always:off']);
    expect(await loadRain(context, 'given')).toMatchObject({ ok: true });
    expect(await setTickets(context, 'given', { proofOfWork: 'always' })).toEqual({ ok: true, ...WORK });
    expect(await inRedis('given')).toEqual(['always:always', 'always:always']);
    expect(await showRain(context, 'given')).toMatchObject({ ticketRules: WORK });
    expect((await context.ledger.actions('given')).filter(({ verb }) => verb === 'tickets')).toMatchObject([
      { details: TICKETS },
      { actor: 'test', details: WORK },
    ]);
    expect(await setTickets(context, 'given', { tickets: 'off', proofOfWork: 'off' })).toMatchObject({ ok: true });
    expect(await showRain(context, 'given')).not.toHaveProperty('ticketRules');
  });

  test('are not changed by a repeat of the creation, which somebody has tightened since', async () => {
    expect(await plan('repeated', { ticketRules: TICKETS })).toMatchObject({ ok: true });
    expect(await setTickets(context, 'repeated', WORK)).toMatchObject({ ok: true });
    const { opensAt, closesAt } = (await context.ledger.rain('repeated'))!;
    expect(await plan('repeated', { ticketRules: TICKETS, opensAt, closesAt })).toMatchObject({ ok: true });
    expect(await inRedis('repeated')).toEqual(['always:always', 'always:always']);
  });

  test('are in Redis again before the first packet is, when Redis had lost the draft', async () => {
    await plan('again', { ticketRules: WORK });
    await context.redis.del(...[0, 1].map((shard) => shardKeys('again', shard).state));
    expect(await loadRain(context, 'again')).toMatchObject({ ok: true });
    expect(await inRedis('again')).toEqual(['always:always', 'always:always']);
  });

  test.each([
    [{ tickets: 'sometimes' }, 'tickets', 'expected off, pressure or always'],
    [{ proofOfWork: 'always' }, 'proofOfWork', 'needs tickets, expected tickets pressure or always with it'],
  ])('[R12] %j is refused by name, and nothing changes', async (rules, field, reason) => {
    await plan('strict');
    expect(await setTickets(context, 'strict', rules)).toEqual({ ok: false, refusals: [{ field, reason }] });
    expect(await inRedis('strict')).toEqual([null, null]);
  });

  test('cannot be changed when it is over, or is none', async () => {
    await plan('over');
    await closeRain(context, 'over');
    expect(await setTickets(context, 'over', TICKETS)).toMatchObject({
      ok: false,
      refusals: [{ field: 'state', reason: 'the rain over is over' }],
    });
    expect(await setTickets(context, 'nowhere', TICKETS)).toMatchObject({ ok: false, refusals: [{ field: 'id' }] });
    expect(await planSale('a-sale')).toMatchObject({ ok: true });
    expect(await setTickets(context, 'a-sale', TICKETS)).toMatchObject({
      ok: false,
      refusals: [{ field: 'id', reason: expect.stringContaining('it is a sale') as string }],
    });
  });
});

test('so are those of a sale', async () => {
  expect(await planSale('sold', { ticketRules: TICKETS })).toMatchObject({ ok: true });
  await context.redis.del(saleKeys('sold').state, saleKeys('sold').stock);
  expect(await openSale(context, 'sold')).toMatchObject({ ok: true });
  expect(await showSale(context, 'sold')).toMatchObject({ ticketRules: TICKETS });
  expect(await setTicketsOfSale(context, 'sold', WORK)).toEqual({ ok: true, ...WORK });
  expect(await context.redis.hget(saleKeys('sold').state, 'ticketRules')).toBe('always:always');
  await endSale(context, 'sold');
  expect(await setTicketsOfSale(context, 'sold', TICKETS)).toMatchObject({ ok: false, refusals: [{ field: 'state' }] });
});
