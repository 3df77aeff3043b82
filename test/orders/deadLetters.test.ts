import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { idOfOrderLetter, ORDER_DEAD_REASONS, orderLetter, orderLetterId } from '../../src/orders/deadLetter.ts';
import { areOrderLetters, findOrderLetter, readOrderLetters } from '../../src/orders/deadLetters.ts';
import { settleSale } from '../../src/maintenance/settleSale.ts';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { closeSale } from '../../src/store/saleEnd.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { follow } from '../../src/store/sales.ts';
import { createSigner } from '../../src/store/signer.ts';
import { eventually } from '../support/eventually.ts';
import { laterSigner, signer } from '../support/signer.ts';
import { buyersOf, openOrderRoom, signed, type OrderRoom } from './room.ts';
import { figuresOf, reservationIds } from './saleFigures.ts';

describe('reservations that cannot become orders', () => {
  let room: OrderRoom;
  beforeAll(async () => {
    room = await openOrderRoom();
  });
  afterEach(() => room.rest());
  afterAll(() => room?.stop());
  const { idsOf, reasons, statuses, expectBalanced, buy } = figuresOf(() => room);

  it('[R14] forged entries are dead letters, whatever is wrong with them, and the honest ones around them are written', async () => {
    await room.openSale('forged');
    await room.openSale('other');
    await buy('forged', 0, 2);
    await buy('other', 7, 8);
    const [first, second] = await room.reservations('forged');
    const [foreign] = await room.reservations('other');
    const expected: [number, string][] = [];
    const forge = async (entry: Parameters<OrderRoom['forge']>[1], reason: string) => {
      expected.push([await room.redis.llen(saleKeys('forged').reservations), reason]);
      await room.forge('forged', entry);
    };
    await forge({ ...first!, reservationId: 'forged-99', userId: 'thief' }, 'not_signed');
    await forge({ ...first!, userId: 'thief' }, 'not_signed');
    await forge({ ...first!, quantity: 2 }, 'not_signed');
    await forge({ ...first!, mac: undefined }, 'not_signed');
    await forge({ ...first!, reservationId: 'forged-98' }, 'not_reserved');
    await forge({ ...first!, price: '0.01' }, 'differs');
    // Instead of the honest entry, so that no order stands in its way.
    expected.push([1, 'not_in_sale']);
    await room.redis.lset(saleKeys('forged').reservations, -2, JSON.stringify({ ...second!, price: '99.90' }));
    await forge(signed({ ...first!, quantity: 50 }), 'not_reserved');
    await forge(signed({ ...first!, sku: 'hat' }), 'not_reserved');
    await forge(foreign!, 'wrong_sale');
    await forge('not a reservation', 'malformed');
    await forge(JSON.stringify({ ...first!, quantity: -10 }), 'malformed');
    // A writer who also changes a buyer's entry in Redis, and has the key, meets the database.
    const held = (ordinal: number, sku: string, quantity: number) =>
      room.redis.hset(
        saleKeys('forged').buyers,
        `thief${ordinal}`,
        `${ordinal}:${sku}:${quantity}:r:${first!.payBy}::;`,
      );
    for (const [ordinal, sku, quantity] of [
      [50, 'tee', 50],
      [51, 'hat', 1],
      [52, 'tee', 4],
    ] as const) {
      await held(ordinal, sku, quantity);
      await forge(
        signed({ ...first!, reservationId: `forged-${ordinal}`, userId: `thief${ordinal}`, sku, quantity }),
        'not_in_sale',
      );
    }
    await held(1, 'tee', 1);
    await forge(signed({ ...first!, userId: 'thief1' }), 'differs');
    await room.redis.hset(saleKeys('forged').buyers, 'torn', 'not an entry');
    await forge(signed({ ...first!, userId: 'torn' }), 'not_reserved');
    await buy('forged', 2, 4);
    await room.carry();
    room.work();
    await room.drained();
    expect(
      (await room.ledger.orders({ saleId: 'forged' })).map(({ userId, quantity, price }) => [userId, quantity, price]),
    ).toEqual(['u0', 'u2', 'u3'].map((user) => [user, 1, '19.90']));
    expect(await reasons('forged')).toEqual(expected.sort(([a], [b]) => a - b));
    expect(await expectBalanced('forged')).toMatchObject({ left: 7, reserved: 3 });
    // However often it is delivered, it is one letter.
    await room.relay.resend('forged', 0, 100);
    await room.drained();
    expect(await reasons('forged')).toEqual(expected.sort(([a], [b]) => a - b));
    const {
      letters: [oldest],
      complete,
    } = await readOrderLetters(room.queues.dead, { saleId: 'forged', limit: 1 });
    expect(complete).toBe(false);
    expect(oldest).toMatchObject({ id: orderLetterId(oldest!), saleId: 'forged', detail: expect.any(String) });
    expect((await room.letters('forged')).find(({ entry }) => entry.includes('forged-99'))!.detail).toBe(
      'its signature is not of this purchase',
    );
    expect(await findOrderLetter(room.queues.dead, oldest!.id)).toEqual(oldest);
    expect(idOfOrderLetter({ ...oldest!, reason: 'paid_after_release' })).toBe(`${oldest!.id}-paid`);
    expect(await areOrderLetters(room.queues.dead, [oldest!, { ...oldest!, index: 0 }])).toEqual([true, false]);
  });

  it('[R14] who writes log and buyers together, and holds the lease, takes over no order and makes none: neither ledger nor shop is asked', async () => {
    await room.openSale('taken');
    await buy('taken', 0, 3);
    const { buyers, reservations, lease } = saleKeys('taken');
    await room.redis.set(lease, 'thief');
    const [victim, other] = await room.reservations('taken');
    const macOfWish = signer.wishMac({ saleId: 'taken', userId: 'thief', ordinal: 9 });
    await room.redis.hset(buyers, 'thief', `1:tee:1:r:${victim!.payBy}::;9:tee:1:r:${victim!.payBy}:${macOfWish}:;`);
    await room.redis.lset(reservations, -1, JSON.stringify({ ...victim!, userId: 'thief', mac: undefined }));
    await room.redis.hset(buyers, 'mallory', `2:tee:1:r:${other!.payBy}:${other!.mac}:;`);
    await room.redis.lset(reservations, -2, JSON.stringify({ ...other!, userId: 'mallory' }));
    await room.forge('taken', { ...victim!, reservationId: 'taken-9', userId: 'thief', mac: macOfWish });
    await room.redis.del(lease);
    const posted: string[] = [];
    const asked: string[] = [];
    await room.carry();
    room.work({
      ledger: {
        ...room.ledger,
        writeOrders: (them) => {
          asked.push(...them.map(({ userId }) => userId));
          return room.ledger.writeOrders(them);
        },
      },
      service: {
        post: async (_saleId, orders) => orders.map(({ userId }) => (posted.push(userId), { outcome: 'commit' })),
      },
    });
    await room.drained();
    expect([asked, posted, await idsOf('taken')]).toEqual([['u2'], ['u2'], ['taken-3']]);
    expect(await reasons('taken')).toEqual([
      [0, 'not_signed'],
      [1, 'not_signed'],
      [3, 'not_signed'],
    ]);
    expect((await room.letters('taken')).map(({ detail }) => detail)).toEqual([
      'it has no signature',
      'its signature is not of this purchase',
      'its signature is not of this purchase',
    ]);
    const { tampering, report } = (await auditSale(
      { redis: room.redis, ledger: room.ledger, signer, actor: 'test' },
      'taken',
    ))!;
    expect(report.balanced).toBe(false);
    expect(
      new Set(tampering.filter(({ kind }) => kind === 'not_signed').map(({ sentence }) => sentence.split(',')[0])),
    ).toEqual(
      new Set([
        'taken-1',
        'taken-2',
        'taken-9',
        'Redis has the reservation taken-1',
        'Redis has the reservation taken-2',
        'Redis has the reservation taken-9',
      ]),
    );
  });

  it('[R5] a worker with another SIGNING_SECRET than the sale gives nothing up: its reservations wait for one that has it', async () => {
    await room.openSale('other-key');
    await buy('other-key', 0, 2);
    await room.redis.hset(saleKeys('other-key').state, 'signedBy', signer.keyId);
    await room.carry();
    const stranger = room.work({
      signer: createSigner('a-secret-of-another-system-0123456789-0123456789'),
      retryPolicy: { firstDelayMs: 20, delayMsMax: 80, attemptsMax: 1_000, totalMsMax: 60_000 },
    });
    await eventually(async () =>
      expect(await room.queues.later.getJobCountByTypes('delayed', 'waiting', 'active')).toBe(1),
    );
    expect([await idsOf('other-key'), await room.letters('other-key')]).toEqual([[], []]);
    await stranger.close(1_000);
    // While the secret is replaced, both keys are known.
    room.work({ signer: laterSigner });
    await room.drained();
    expect([await idsOf('other-key'), await room.letters('other-key')]).toEqual([
      reservationIds('other-key', 1, 3),
      [],
    ]);
  });

  it('beyond the stock of the ledger is a dead letter, and what fits is written', async () => {
    await room.openSale('short', { items: [{ sku: 'tee', units: 3, price: '19.90' }] });
    await room.redis.hset(saleKeys('short').stock, 'tee:units', '5');
    await buy('short', 0, 5);
    await room.carry();
    room.work();
    await room.drained();
    expect([await idsOf('short'), await reasons('short')]).toEqual([
      reservationIds('short', 1, 4),
      [
        [3, 'not_in_sale'],
        [4, 'not_in_sale'],
      ],
    ]);
  });

  it('counts that were lowered by hand sell units twice: who gets none is told so, nothing is sold again for it, and the sale adds up', async () => {
    await room.openSale('oversold', {
      items: [{ sku: 'tee', units: 3, price: '19.90', perOrderMax: 1_000, perUserMax: 1_000 }],
    });
    await buy('oversold', 0, 3);
    await room.redis.hincrby(saleKeys('oversold').stock, 'tee:booked', -2);
    await buy('oversold', 3, 5);
    await room.carry();
    room.work();
    await room.drained();
    expect([await idsOf('oversold'), await reasons('oversold')]).toEqual([
      reservationIds('oversold', 1, 4),
      [
        [3, 'not_in_sale'],
        [4, 'not_in_sale'],
      ],
    ]);
    const told = () =>
      room.heard
        .filter(({ reservationId }) => reservationId.startsWith('oversold-'))
        .map(({ userId, status, ...order }) => [
          userId,
          status,
          signer.isOrderMark(order.mark, { userId, status, ...order }),
        ])
        .sort();
    await eventually(() =>
      expect(told()).toEqual([
        ['u0', 'created', true],
        ['u1', 'created', true],
        ['u2', 'created', true],
        ['u3', 'failed', true],
        ['u4', 'failed', true],
      ]),
    );
    expect(await statuses('oversold', 'u0', 'u3', 'u4')).toEqual(['created', 'failed', 'failed']);
    expect(await room.buy('oversold', buyersOf(5, 6))).toEqual(['-12']);
    const context = { redis: room.redis, ledger: room.ledger, signer, actor: 'test' };
    expect(await auditSale(context, 'oversold')).toMatchObject({
      problems: [],
      refused: 2,
      report: { balanced: true, items: [{ units: 3, reserved: 3, pending: 0, left: 0 }] },
    });
    // Units that come too late make no order of what has failed.
    await room.ledger.addStock({ id: 'more', saleId: 'oversold', sku: 'tee', units: 5 }, 'test', 100);
    expect(await room.relay.resend('oversold', 0, 5)).toBe(5);
    await room.drained();
    expect(await idsOf('oversold')).toHaveLength(3);
    // Orders that wait for their payment are still to be decided; refused ones are not.
    const settled = await settleSale(context, 'oversold', { title: 'oversold' }, {});
    expect(settled).toEqual({ outcome: 'not_due' });
    await closeSale(room.redis, 'oversold', 'early');
    await room.ledger.sealSale('oversold');
    for (const id of await idsOf('oversold')) await room.ledger.stepOrder(id, 'paid');
    await follow(
      room.redis,
      'oversold',
      [0, 1, 2].map((n) => ({ userId: `u${n}`, ordinal: n + 1, status: 'paid', toStock: false })),
    );
    await room.ledger.markFollowed(await room.ledger.unfollowedOrders('oversold', 10));
    expect(await settleSale(context, 'oversold', { title: 'oversold' }, {})).toEqual({ outcome: 'settled' });
  });

  it('every reason tells the operator what it means, and no other is read', () => {
    expect(Object.keys(ORDER_DEAD_REASONS)).toEqual([
      'malformed',
      'wrong_sale',
      'not_signed',
      'not_reserved',
      'not_in_sale',
      'differs',
      'failed',
      'refused_after_payment',
      'unavailable',
      'paid_after_release',
    ]);
    const letter = { saleId: 's', index: 0, entry: '', detail: '' };
    for (const reason of Object.keys(ORDER_DEAD_REASONS))
      expect(orderLetter.safeParse({ ...letter, reason }).success).toBe(true);
    expect(orderLetter.safeParse({ ...letter, reason: 'told_twice' }).success).toBe(false);
  });
});
