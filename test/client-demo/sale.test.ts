import { describe, expect, test } from 'vitest';
import type { Order } from '../../src/client/client.ts';
import type { SaleSnapshot } from '../../src/protocol/saleMessages.ts';
import { minutesText } from '../../client-demo/src/countdown.ts';
import { openBells } from '../../client-demo/src/sale/bells.ts';
import { itemView, type ItemNotes } from '../../client-demo/src/sale/item-view.ts';
import { OpenPurchases } from '../../client-demo/src/sale/open-purchases.ts';
import { wordsAt } from '../../client-demo/src/sale/prices.ts';
import { inOrder, isFree, orderView, totalOf, type PayConfig } from '../../client-demo/src/sale/order-view.ts';
import { saleWordsFor } from '../../client-demo/src/words/sale/language.ts';

const NOW = 1_900_000_000_000;
type Item = SaleSnapshot['items'][number];
const ITEM: Item = { sku: 'tee', name: 'A tee', price: '19.90', units: 10, left: 4 };
const sale = (change: Partial<SaleSnapshot> = {}, item: Partial<Item> = {}): SaleSnapshot => ({
  type: 'sale',
  saleId: 'autumn',
  title: 'Autumn',
  state: 'open',
  opensAt: NOW,
  closesAt: NOW + 60_000,
  holdMs: 60_000,
  serverTime: NOW,
  items: [{ ...ITEM, ...item }],
  ...change,
});
const order = (id: number, change: Partial<Order> = {}): Order => ({
  reservationId: `autumn-${id}`,
  sku: 'tee',
  quantity: 1,
  price: '19.90',
  status: 'created',
  payBy: NOW + 60_000,
  ...change,
});
const viewOf = (snapshot: SaleSnapshot, { orders = [] as Order[], ...notes }: ItemNotes & { orders?: Order[] } = {}) =>
  itemView(snapshot, snapshot.items[0]!, orders, notes);

describe('what can be done with an item', () => {
  test.each([
    ['draft', 'soon'],
    ['loaded', 'soon'],
    ['open', 'buy'],
    ['paused', 'paused'],
    ['closed', 'over'],
    ['settled', 'over'],
  ] as const)('in a sale that is %s: %s', (state, face) => {
    expect(viewOf(sale({ state })).face).toBe(face);
  });

  test("as many may be chosen as one order, the buyer's limits and the units that are left allow", () => {
    expect(viewOf(sale()).quantityMax).toBe(4);
    expect(viewOf(sale({}, { perOrderMax: 3 })).quantityMax).toBe(3);
    expect(viewOf(sale({}, { perUserMax: 2 })).quantityMax).toBe(2);
    expect(
      viewOf(sale({ perUserMax: 5 }, { left: 10 }), { orders: [order(1, { quantity: 2, sku: 'mug' })] }).quantityMax,
    ).toBe(3);
    expect(viewOf(sale(), { quantity: 9 }).quantity).toBe(4);
  });

  test('units that were given back do not count against the limit; those of every other order do', () => {
    const limited = sale({ perUserMax: 1 });
    for (const status of ['cancelled', 'timed_out', 'failed', 'refunded'] as const)
      expect(viewOf(limited, { orders: [order(1, { status })] })).toMatchObject({ face: 'buy', held: 0 });
    for (const status of ['reserved', 'created', 'paid'] as const)
      expect(viewOf(limited, { orders: [order(1, { status })] })).toMatchObject({ face: 'limit', held: 1, limit: 1 });
    expect(
      viewOf(sale({ perUserMax: 5 }, { perUserMax: 1 }), { orders: [order(1, { sku: 'mug' })] }),
      'the limit of the item is told, and what is held of it',
    ).toMatchObject({ limit: 1, held: 0, face: 'buy' });
  });

  test("a limit of the whole sale is told as one: after two tees nobody reads that the mug's own limit is reached", () => {
    const two = sale({ perUserMax: 2, items: [{ ...ITEM, sku: 'mug' }, ITEM] });
    expect(viewOf(two)).toMatchObject({ limit: 2, held: 0, limitIsOfSale: true });
    expect(viewOf(two, { orders: [order(1, { quantity: 2 })] })).toMatchObject({
      face: 'limit',
      limit: 2,
      held: 2,
      limitIsOfSale: true,
    });
    expect(viewOf(sale({ perUserMax: 2 })), "one item: the limit of the sale is the item's").not.toHaveProperty(
      'limitIsOfSale',
    );
    const both = (held: number) =>
      viewOf(sale({ perUserMax: 3, items: [{ ...ITEM, sku: 'mug', perUserMax: 2 }, ITEM] }), {
        orders: [order(1, { quantity: held })],
      });
    expect(both(1), 'both leave two').toMatchObject({ limit: 2, held: 0, quantityMax: 2 });
    expect(both(2), 'the sale leaves fewer than the item').toMatchObject({
      limit: 3,
      held: 2,
      limitIsOfSale: true,
      quantityMax: 1,
    });
    const { limit, held, whenFree } = saleWordsFor('zh-CN');
    expect(whenFree.limit(1, false), 'nobody buys what is free').toBe('每人限领 1 件');
    expect([limit(2, false), limit(2, true), held(2, 2, true)]).toEqual([
      '每人限购 2 件',
      '本场每人合计限购 2 件',
      '本场已抢 2 / 2 件',
    ]);
  });

  test('none left is not "sold out": only the server says so', () => {
    const none = sale({}, { left: 0, backAt: NOW + 5_000 });
    expect(viewOf(none)).toMatchObject({ face: 'gone', answer: 'gone', backAt: NOW + 5_000, bell: false });
    expect(viewOf(sale({}, { left: 0 }))).toMatchObject({ face: 'gone', answer: 'gone', bell: false });
    expect(
      viewOf(sale(), { miss: { kind: 'all_reserved', backAt: NOW + 7_000 }, bell: true }),
      'the answer is newer than the snapshot',
    ).toMatchObject({ face: 'gone', left: 0, answer: 'all_reserved', backAt: NOW + 7_000, bell: true });
    const gone = viewOf(sale({}, { left: 0 }), { miss: { kind: 'sold_out' } });
    expect(gone).toMatchObject({ face: 'sold_out', answer: 'sold_out' });
    expect(gone.bell).toBeUndefined();
  });

  test('other misses are told beside the button, and a purchase on its way hides them', () => {
    expect(viewOf(sale(), { miss: { kind: 'too_few_left' } })).toMatchObject({ face: 'buy', answer: 'too_few_left' });
    expect(viewOf(sale(), { miss: { kind: 'too_few_left' }, progress: 'busy' })).toMatchObject({
      face: 'asking',
      progress: 'busy',
    });
    expect(viewOf(sale(), { back: true })).toMatchObject({ face: 'buy', answer: 'back' });
  });
});

describe('an order', () => {
  const NONE = { paying: undefined, cancelling: undefined };
  const payOf = (change: Partial<Order>, pay: PayConfig, now = NOW) =>
    orderView(order(1, change), sale(), pay, NONE, now).pay;

  test('has a name, a total that is exact in cents, and the seconds until it must be paid', () => {
    expect(orderView(order(1, { quantity: 3, payBy: NOW + 59_001 }), sale(), undefined, NONE, NOW)).toMatchObject({
      name: 'A tee',
      total: '59.70',
      seconds: 60,
    });
    expect(totalOf('90071992547409.91', 1_000)).toBe('90071992547409910.00');
    expect([isFree('0.00'), isFree('0.10')]).toEqual([true, false]);
  });

  test('can be paid when it is created and in time: at the shop, here, or elsewhere', () => {
    expect(payOf({}, { demo: true })).toBe('demo');
    expect(payOf({}, undefined)).toBe('elsewhere');
    expect(payOf({}, { url: 'https://shop.test/?o={orderId}' })).toEqual({ url: 'https://shop.test/?o=autumn-1' });
    expect(
      payOf({ payUrl: 'https://shop.test/own' }, { demo: true }),
      'an address of the order itself counts first',
    ).toEqual({ url: 'https://shop.test/own' });
    expect(payOf({ payUrl: 'javascript:alert(1)' }, { demo: true })).toBe('elsewhere');
    expect(payOf({ status: 'reserved' }, { demo: true })).toBeUndefined();
    expect(payOf({}, { demo: true }, NOW + 60_000)).toBeUndefined();
    expect(payOf({ status: 'paid' }, { demo: true })).toBeUndefined();
    expect(payOf({ price: '0.00' }, undefined), 'nothing is to be paid').toBeUndefined();
  });

  test('comes first while it waits, by its deadline; then the latest', () => {
    const all = [
      order(1, { status: 'paid' }),
      order(2, { payBy: NOW + 9 }),
      order(3, { status: 'reserved', payBy: NOW + 5 }),
      order(4, { status: 'cancelled' }),
    ];
    expect(inOrder(all).map(({ reservationId }) => reservationId)).toEqual([
      'autumn-3',
      'autumn-2',
      'autumn-4',
      'autumn-1',
    ]);
  });
});

test.each(['en', 'zh-CN'])('a free ticket drop speaks of no sale, no payment and no refund: %s', (language) => {
  const words = saleWordsFor(language);
  // Shown only where something is to be paid, or replaced as a whole.
  const { whenFree, hold, payBy, pay, payFor, paying, payFailed, noPay, was, ...shown } = wordsAt('0.00', words);
  const said = (word: unknown): string =>
    typeof word === 'function'
      ? String((word as (...given: unknown[]) => unknown)(2, 3, true))
      : typeof word === 'object' && word !== null
        ? Object.values(word).map(said).join('\n')
        : String(word);
  expect(said(shown)).not.toMatch(
    /\b(sale|sales|sold|buy|bought|purchase|paid|pay|payment|refund\w*|shop|order|orders)\b|购|买|付|退款|商家|商品|秒杀|售|订单|开抢/iu,
  );
  expect(wordsAt('0.10', words)).toBe(words);
});

test('bells are kept in the tab, also where it keeps nothing', () => {
  const kept = new Map<string, string>();
  const storage = () =>
    ({
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    }) as Storage;
  const bells = openBells('autumn', storage);
  bells.set('tee', true);
  bells.set('mug', true);
  bells.set('tee', false);
  expect([
    openBells('autumn', storage).isOn('tee'),
    openBells('autumn', storage).isOn('mug'),
    openBells('winter', storage).isOn('mug'),
  ]).toEqual([false, true, false]);
  const forbidden = openBells('autumn', () => {
    throw new Error('forbidden');
  });
  forbidden.set('tee', true);
  expect(forbidden.isOn('tee')).toBe(true);
});

test('a purchase that is sent again keeps its note', () => {
  const purchases = new OpenPurchases();
  purchases.progress('tee', '-7');
  expect(purchases.of('tee'), 'not bought here').toBeUndefined();
  purchases.begin('tee');
  const seen = (['preparing', 'sent', '-7', 'sent', '-5', '-2', '-99'] as const).map((why) => {
    purchases.progress('tee', why as never);
    return purchases.of('tee');
  });
  expect(seen).toEqual(['preparing', 'sent', 'busy', 'busy', 'too_fast', 'waiting', 'waiting']);
});

test('both languages have the same words, and none is empty', () => {
  const keysOf = (value: object): unknown =>
    Object.entries(value).map(([key, word]) => [key, typeof word === 'object' ? keysOf(word as object) : typeof word]);
  expect(keysOf(saleWordsFor('zh-CN'))).toEqual(keysOf(saleWordsFor('en')));
  for (const lang of ['zh-CN', 'en']) {
    const { stateDetail: _, ...words } = saleWordsFor(lang);
    expect(JSON.stringify(words)).not.toContain('""');
  }
  expect(saleWordsFor('zh-CN').free).toBe('免费');
});

test.each([
  [0, '0:00'],
  [9, '0:09'],
  [60, '1:00'],
  [271, '4:31'],
  [3_675, '1:01:15'],
])('%d seconds to pay are shown as %s', (seconds, text) => {
  expect(minutesText(seconds)).toBe(text);
});
