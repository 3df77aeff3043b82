import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { orderReport } from '../../src/orders/reports.ts';
import { endedRequest, orderRequest, readOrderResults } from '../../src/orders/shopMessage.ts';
import { SHOP_REFUSALS } from '../../src/console/refusals.ts';
import { checkSignature, signatureOf } from '../../src/platform/auth/requestSignature.ts';
import { verify } from '../credit/wallet.ts';

const page = readFileSync(new URL('../../docs/reference/order-service.md', import.meta.url), 'utf8');
const secret = /secret `([^`]+)`/.exec(page)![1]!;
const timestamp = /Rain-Timestamp: (\d+)/.exec(page)![1]!;
const callback = /^ {4}(\{"orderId".*)$/m.exec(page)![1]!;
const now = Number(timestamp) + 1_000;

test('the order on the page is the one that a shop gets', () => {
  const body = /^ {4}(\{"orders".*)$/m.exec(page)![1]!;
  const {
    orders: [{ orderId, at, payBy, ...plain }],
  } = JSON.parse(body) as { orders: [Record<string, string>] };
  const order = {
    id: orderId!,
    reservedAt: Number(at),
    payBy: Number(payBy),
    changedAt: 0,
    status: 'created',
    ...plain,
  } as unknown as Parameters<typeof orderRequest>[1][0];
  expect(orderRequest('newyear', [order])).toEqual({ key: 'newyear-17', body });
  expect(orderRequest('newyear', [order, { ...order, id: 'newyear-18' }]).key).toMatch(/^batch-[0-9a-f]{32}$/);
});

test('the end of an order on the page is the one that a shop gets', () => {
  const body = /^ {4}(\{"ended".*)$/m.exec(page)![1]!;
  expect(endedRequest('newyear', [{ id: 'newyear-17', userId: 'ann', status: 'timed_out' }])).toEqual({
    key: 'newyear-17-timed_out',
    body,
  });
});

test('the answer on the page is read as it says', () => {
  const answer = /^ {4}(\{"results"[^]*?\]\})\n\n/m.exec(page)![1]!;
  expect([...readOrderResults(answer)!.values()].map(({ orderId, status }) => [orderId, status])).toEqual([
    ['newyear-17', 'done'],
    ['newyear-18', 'already'],
    ['newyear-19', 'refused'],
  ]);
  expect(readOrderResults('<html>')).toBeUndefined();
});

test('the callback on the page is signed, and nothing that was changed or forged is', () => {
  const given = [...page.matchAll(/Rain-Signature: (v1=[0-9a-f]{64})$/gm)].at(-1)![1]!;
  expect(given).toBe(signatureOf(secret, timestamp, callback));
  expect(orderReport.parse(JSON.parse(callback))).toEqual({ orderId: 'newyear-17', status: 'paid' });
  const headers = { 'rain-timestamp': timestamp, 'rain-signature': given };
  const check = (differing: object = {}, text = callback, at = now, by = secret) =>
    checkSignature(by, { ...headers, ...differing }, Buffer.from(text), at);
  expect(check()).toBe('signed');
  // Both sides of the exchange agree about what is signed.
  expect(verify(secret, headers, Buffer.from(callback), now)).toBe(true);
  expect([
    check({}, callback.replace('paid', 'failed')),
    check({}, `${callback} `),
    check({}, callback, now, `${secret}!`),
    check({ 'rain-timestamp': String(now) }),
  ]).toEqual(['forged', 'forged', 'forged', 'forged']);
  for (const late of [-1, 1]) expect(check({}, callback, Number(timestamp) + late * 301_000)).toBe('old');
  for (const text of [undefined, '', 'v1=', given.slice(3), `${given}00`, given.toUpperCase(), [given, given]])
    expect(check({ 'rain-signature': text }), String(text)).toBe('forged');
  for (const text of [undefined, '', 'now', '1795000000', [timestamp, timestamp]])
    expect(check({ 'rain-timestamp': text }), String(text)).toBe('forged');
});

test('every code of an answer to a callback is on the page, with its status', () => {
  for (const { status, code } of Object.values(SHOP_REFUSALS)) {
    if (code !== 'busy' && code !== 'unavailable')
      expect(page, code).toMatch(new RegExp(`^\\| ${status} .*\`${code}\``, 'm'));
  }
});
