import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { idOfOrderLetter } from '../../src/orders/deadLetter.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { eventually } from '../support/eventually.ts';
import { signer } from '../support/signer.ts';
import { openOrderRoom, type OrderRoom } from './room.ts';
import { figuresOf, reservationIds } from './saleFigures.ts';

describe('reservations that only Redis allows', () => {
  let room: OrderRoom;
  beforeAll(async () => {
    room = await openOrderRoom();
  });
  afterEach(() => room.rest());
  afterAll(() => room?.stop());

  const { idsOf, reasons, statuses, buy } = figuresOf(() => room);
  const contextOf = () => ({ redis: room.redis, ledger: room.ledger, signer, actor: 'test' });

  it('beyond a limit that a hand has raised become no orders: their buyer hears it, and the units are sold again', async () => {
    await room.openSale('raised', {
      items: [{ sku: 'tee', units: 10, price: '19.90', perOrderMax: 3, perUserMax: 1 }],
    });
    const { stock } = saleKeys('raised');
    expect(await room.buy('raised', [{ userId: 'ann', sku: 'tee', quantity: 1, ref: 'a' }])).toEqual(['0']);
    await room.redis.hset(stock, 'tee', '19.90:3:9');
    expect(
      await room.buy('raised', [
        { userId: 'ann', sku: 'tee', quantity: 2, ref: 'b' },
        { userId: 'bob', sku: 'tee', quantity: 1 },
      ]),
    ).toEqual(['0', '0']);
    await room.redis.hset(stock, 'tee', '19.90:3:1');
    await room.carry();
    room.work();
    await room.drained();
    expect([await idsOf('raised'), await reasons('raised')]).toEqual([['raised-1', 'raised-3'], [[1, 'not_in_sale']]]);
    await eventually(() =>
      expect(
        room.heard
          .filter(({ reservationId }) => reservationId === 'raised-2')
          .map(({ userId, status }) => [userId, status]),
      ).toEqual([['ann', 'failed']]),
    );
    expect(await room.redis.hget(stock, 'tee:booked')).toBe('2');
    expect(await auditSale(contextOf(), 'raised')).toMatchObject({
      refused: 1,
      wrongCounts: [],
      tampering: [
        {
          kind: 'limit',
          sentence: expect.stringContaining('raised-2, 2 tee, for ann, who may not hold so many') as string,
        },
      ],
    });
    // Letters that the operator has looked at and discarded stand in the way of nothing.
    const [letter] = await room.letters('raised');
    await room.ledger.discardLetter({
      saleId: 'raised',
      entry: letter!.entry,
      letterId: idOfOrderLetter(letter!),
      deadReason: letter!.reason,
      reason: 'seen',
      actor: 'test',
    });
    expect(await auditSale(contextOf(), 'raised')).toMatchObject({
      problems: [],
      refused: 1,
      report: { balanced: true },
    });
  });

  it('of a user who is excluded from the campaign become no orders: the buyer hears it, and the units are sold again', async () => {
    await room.ledger.createCampaign(
      { id: 'party', title: 'Party', winsPerUserMax: 5, shards: 1, rollOver: false },
      'ann',
    );
    await room.ledger.exclude('party', ['thief'], 'ann');
    await room.database.$executeRaw`UPDATE "CampaignExclusion" SET "excludedAt" = "excludedAt" - interval '10 minutes'`;
    await room.openSale('party.1', { campaign: { id: 'party', round: 1 } });
    expect(
      await room.buy('party.1', [
        { userId: 'thief', sku: 'tee', quantity: 1 },
        { userId: 'bob', sku: 'tee', quantity: 1 },
      ]),
      'Redis does not know it',
    ).toEqual(['0', '0']);
    await room.carry();
    room.work();
    await room.drained();
    expect([await idsOf('party.1'), await reasons('party.1')]).toEqual([['party.1-2'], [[0, 'not_in_sale']]]);
    await eventually(() =>
      expect(room.heard.filter(({ userId }) => userId === 'thief').map(({ status }) => status)).toEqual(['failed']),
    );
    expect(await room.redis.hget(saleKeys('party.1').stock, 'tee:booked')).toBe('1');
    expect((await room.ledger.refusalsAmong([{ reservationId: 'party.1-1', userId: 'thief' }]))[0]).toMatchObject({
      reason: 'limit',
      detail: expect.not.stringContaining('thief') as string,
    });
  });

  it('an honest reservation becomes an order although a hand has written that it failed', async () => {
    await room.openSale('denied');
    await buy('denied', 0, 2);
    const { buyers } = saleKeys('denied');
    await room.redis.hset(buyers, 'u0', (await room.redis.hget(buyers, 'u0'))!.replace(':r:', ':f:'));
    await room.carry();
    room.work();
    await room.drained();
    expect([await idsOf('denied'), await reasons('denied')]).toEqual([reservationIds('denied', 1, 3), []]);
    expect(await statuses('denied', 'u0', 'u1')).toEqual(['failed', 'created']);
    expect((await auditSale(contextOf(), 'denied'))!.untrue).toMatchObject([
      { userId: 'u0', found: { status: 'failed' }, right: { status: 'created' } },
    ]);
  });

  it('a deadline that a hand has written into log and buyer is not that of the order', async () => {
    await room.openSale('forever');
    await buy('forever', 0, 1);
    const { buyers, reservations } = saleKeys('forever');
    const { at, payBy } = (await room.reservations('forever'))[0]!;
    await room.redis.hset(buyers, 'u0', (await room.redis.hget(buyers, 'u0'))!.replace(payBy, '4900000000000'));
    await room.redis.lset(reservations, 0, (await room.redis.lindex(reservations, 0))!.replace(payBy, '4900000000000'));
    await room.carry();
    room.work();
    await room.drained();
    expect((await room.ledger.order('forever-1'))!.payBy).toBe(Number(at) + 60_000);
    expect((await auditSale(contextOf(), 'forever'))!.tampering.map(({ kind }) => kind)).toEqual([
      'reservation_time',
      'reservation_time',
    ]);
  });
});
