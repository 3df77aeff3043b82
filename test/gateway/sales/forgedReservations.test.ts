import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createLog, type Logger } from '../../../src/platform/telemetry/log.ts';
import { parseReservation } from '../../../src/sale/reservation.ts';
import { publish } from '../../../src/store/events.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { parseHeld } from '../../../src/store/sales.ts';
import { createSigner } from '../../../src/store/signer.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { laterSigner, signer } from '../../support/signer.ts';
import { buy, enter, stockSale, tee } from './stage.ts';

const { server, redis } = await openRedis();
const errors: { facts: object; message: string }[] = [];
const log = createLog('gateway', 'silent');
log.error = ((facts: object, message: string) => {
  errors.push({ facts, message });
}) as Logger['error'];
const gateway = await openGateway(server.url, { log });
afterAll(() => gateway.close());
beforeEach(() => {
  errors.length = 0;
  gateway.counters.forgedReservations = 0;
});

async function openWith(signingSecret: ReturnType<typeof createSigner>) {
  const other = await openGateway(server.url, { log, signer: signingSecret });
  onTestFinished(() => other.close());
  return other;
}

test('[R14] the signature of a purchase goes into the log and to the buyer, and is told to nobody', async () => {
  await stockSale(redis, { saleId: 'signed', items: [tee(5)], perUserMax: 3 });
  const ann = await enter(gateway.url, 'ann');
  const told = await buy(ann, 'signed', { quantity: 2, ref: 'a' });
  const mac = signer.reservationMac({ saleId: 'signed', userId: 'ann', sku: 'tee', quantity: 2, ref: 'a' });
  expect(JSON.stringify(told)).not.toContain(mac);
  expect(parseReservation((await redis.lindex(saleKeys('signed').reservations, 0))!)).toMatchObject({
    ok: true,
    reservation: { userId: 'ann', ref: 'a', mac },
  });
  expect(parseHeld((await redis.hget(saleKeys('signed').buyers, 'ann'))!)).toMatchObject([
    { ordinal: 1, ref: 'a', mac },
  ]);
});

test('[R14] a reservation that somebody has written for a buyer is told neither on a visit, nor when it is asked for, nor when its status comes', async () => {
  await stockSale(redis, { saleId: 'forged', items: [tee(5)], perUserMax: 9 });
  const { buyers } = saleKeys('forged');
  const ann = await enter(gateway.url, 'ann');
  const { payBy } = await buy(ann, 'forged', { ref: 'own' });
  const genuine = (await redis.hget(buyers, 'ann'))!;
  const macOfBob = signer.reservationMac({ saleId: 'forged', userId: 'bob', sku: 'tee', quantity: 1, ref: 'b' });
  await redis.hset(
    buyers,
    'ann',
    `7:tee:1:p:${payBy}::a;8:tee:1:r:${payBy}:${macOfBob}:b;9:tee:9:r:${payBy}:${genuine.split(':').at(-2)}:own;${genuine}`,
  );
  ann.say({ type: 'visit', saleId: 'forged' });
  expect(await ann.next('order')).toMatchObject({ reservationId: 'forged-1' });
  for (const ordinal of [7, 8, 9]) {
    ann.say({ type: 'cancel', saleId: 'forged', reservationId: `forged-${ordinal}` });
    expect(await ann.next('error')).toMatchObject({
      reason: 'reservationId: expected the id of a reservation of yours in this sale',
    });
  }
  // The same ref gets the genuine one; a ref of the thief's gets none, and the outcome is not said.
  expect(await buy(ann, 'forged', { ref: 'own' })).toMatchObject({ code: '1', reservationId: 'forged-1', quantity: 1 });
  expect(await buy(ann, 'forged', { ref: 'a' })).toMatchObject({ code: '-7' });
  await publish(redis, {
    type: 'orders',
    saleId: 'forged',
    orders: [
      {
        userId: 'ann',
        reservationId: 'forged-7',
        status: 'paid',
        mark: signer.orderMark({ userId: 'ann', reservationId: 'forged-7', status: 'paid' }),
      },
    ],
  });
  expect(await ann.next('order')).toEqual({
    type: 'order',
    saleId: 'forged',
    code: '1',
    reason: 'already_reserved',
    reservationId: 'forged-7',
    status: 'paid',
  });
  expect(gateway.counters.forgedReservations).toBeGreaterThanOrEqual(14);
  expect(errors).toEqual([
    {
      facts: { saleId: 'forged', userId: 'ann' },
      message: expect.stringContaining('not signed with SIGNING_SECRET') as string,
    },
  ]);
});

test('an entry that cannot be read costs its own buyer the answer, and nobody else of the batch', async () => {
  await stockSale(redis, { saleId: 'torn', items: [tee(5)], perUserMax: 1 });
  await redis.hset(saleKeys('torn').buyers, 'ann', '1:tee:1:r:1795000000000:');
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  ann.say({ type: 'buy', saleId: 'torn', sku: 'tee' });
  expect(await buy(bob, 'torn')).toMatchObject({ code: '0', reservationId: expect.any(String) as string });
});

test('while SIGNING_SECRET is replaced, reservations under both keys are told', async () => {
  await stockSale(redis, { saleId: 'replaced', items: [tee(5)], perUserMax: 1 });
  await redis.hset(saleKeys('replaced').state, 'signedBy', signer.keyId);
  const later = await openWith(laterSigner);
  const first = await buy(await enter(gateway.url, 'ann'), 'replaced');
  expect(await buy(await enter(later.url, 'ann'), 'replaced')).toMatchObject({
    code: '1',
    reservationId: first.reservationId,
  });
  expect([await buy(await enter(later.url, 'bob'), 'replaced'), errors]).toMatchObject([{ code: '0' }, []]);
});

test('a gateway with another SIGNING_SECRET than the sale sells nothing of it, since no order would follow, and says why', async () => {
  await stockSale(redis, { saleId: 'elsewhere', items: [tee(5)], perUserMax: 1 });
  await redis.hset(saleKeys('elsewhere').state, 'signedBy', signer.keyId);
  const stranger = createSigner('a-secret-of-another-system-0123456789-0123456789');
  const other = await openWith(stranger);
  expect(await buy(await enter(other.url, 'ann'), 'elsewhere')).toMatchObject({ code: '-7' });
  expect(await redis.llen(saleKeys('elsewhere').reservations)).toBe(0);
  expect(errors).toEqual([
    {
      facts: { saleId: 'elsewhere', keyId: stranger.keyId },
      message: expect.stringContaining('another SIGNING_SECRET') as string,
    },
  ]);
  expect(await buy(await enter(gateway.url, 'ann'), 'elsewhere')).toMatchObject({ code: '0' });
});

test('[R10] a wish that finds the list of wishes full is answered "busy"', async () => {
  await stockSale(redis, { saleId: 'full', items: [tee(5)], perUserMax: 1 });
  const ann = await enter(gateway.url, 'ann');
  await buy(ann, 'full');
  const { cancels } = saleKeys('full');
  await redis.eval(
    "for i = 1, 100 do local junk = {} for j = 1, 1000 do junk[j] = 'x' end redis.call('RPUSH', KEYS[1], unpack(junk)) end",
    1,
    cancels,
  );
  const wish = () => ann.say({ type: 'cancel', saleId: 'full', reservationId: 'full-1' });
  wish();
  expect(await ann.next('order')).toMatchObject({ code: '-7', retryInMs: expect.any(Number) as number });
  expect(await redis.llen(cancels)).toBe(100_000);
  await redis.rpop(cancels);
  wish();
  expect(await ann.next('order')).toMatchObject({ code: '1', reservationId: 'full-1' });
  expect(await redis.lindex(cancels, 0)).toBe(`ann 1 ${signer.wishMac({ saleId: 'full', userId: 'ann', ordinal: 1 })}`);
});
