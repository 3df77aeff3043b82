import { expect, test } from 'vitest';
import {
  checkableRequest,
  holdRefusals,
  NEW_ITEM,
  newSaleDraft,
  SALE_PRESETS,
  saleRequestOf,
  type SalePreset,
} from '../../client-console/src/screens/create-sale/draft.ts';
import { rainId } from '../../src/rain/ids.ts';
import { items } from '../../src/sale/item.ts';

const NOW = Date.parse('2027-01-20T12:00:00Z');

test.each(Object.keys(SALE_PRESETS) as SalePreset[])('the preset %s is a valid sale', (name) => {
  const draft = { ...newSaleDraft(NOW), ...SALE_PRESETS[name] };
  const request = saleRequestOf(draft, NOW);
  expect(items.safeParse(request.items).success).toBe(true);
  expect(rainId.safeParse(request.id).success).toBe(true);
  expect(holdRefusals(draft)).toEqual([]);
  expect(request).toMatchObject({
    opensAt: NOW + 600_000,
    closesAt: NOW + 600_000 + 3_600_000,
    holdMs: 300_000,
    load: true,
    orderService: 'builtin',
  });
});

test('typed figures become wire values, and what is empty is left out', () => {
  const item = { ...NEW_ITEM, sku: ' tee ', units: '1,000', price: '￥19.9', perOrderMax: '2' };
  expect(
    saleRequestOf(
      { ...newSaleDraft(NOW), items: [item], title: ' ', perUserMax: '3', hold: '1.5', rehearsal: true },
      NOW,
    ),
  ).toMatchObject({
    items: [{ sku: 'tee', units: 1_000, price: '19.90', perOrderMax: 2 }],
    perUserMax: 3,
    holdMs: 90_000,
    rehearsal: true,
  });
  expect(Object.keys(saleRequestOf({ ...newSaleDraft(NOW), items: [item] }, NOW).items[0]!).toSorted()).toEqual([
    'perOrderMax',
    'price',
    'sku',
    'units',
  ]);
  expect(saleRequestOf({ ...newSaleDraft(NOW), title: ' ' }, NOW)).not.toHaveProperty('title');
});

test('a sale of a campaign is its next round, has the id of that round, and is no rehearsal', () => {
  const request = saleRequestOf(
    { ...newSaleDraft(NOW, { id: 'season', round: 3 }), ...SALE_PRESETS.goods, rehearsal: true },
    NOW,
  );
  expect(request).toMatchObject({ id: 'season.3', campaign: { id: 'season', round: 3 } });
  expect(request).not.toHaveProperty('rehearsal');
});

test('[R12] an invalid figure is refused by the name of its field', () => {
  const wrong = JSON.parse(
    JSON.stringify(
      saleRequestOf({ ...newSaleDraft(NOW), items: [{ ...NEW_ITEM, sku: 'tee', units: 'many', price: 'much' }] }, NOW),
    ),
  ) as { items: unknown };
  expect(items.safeParse(wrong.items).error!.issues.map(({ path }) => path.join('.'))).toEqual(['0.units', '0.price']);
  expect(holdRefusals({ ...newSaleDraft(NOW), hold: 'long', perUserMax: '' }).map(({ field }) => field)).toEqual([
    'holdMs',
    'perUserMax',
  ]);
});

test('what the form itself refuses does not keep the server from checking the rest in the same round', () => {
  const draft = {
    ...newSaleDraft(NOW),
    items: [{ ...NEW_ITEM, sku: 'tee', units: '0', price: 'abc' }],
    hold: '5x',
    perUserMax: '',
    duration: '',
  };
  expect(holdRefusals(draft).map(({ field }) => field)).toEqual(['holdMs', 'perUserMax']);
  const { items: asked, perUserMax, holdMs, opensAt, closesAt } = checkableRequest(draft, NOW);
  expect([perUserMax > 0, holdMs > 0, closesAt > opensAt, opensAt > NOW]).toEqual([true, true, true, true]);
  expect(items.safeParse(asked).error!.issues.map(({ path }) => path.join('.'))).toEqual(['0.units', '0.price']);
  const fine = { ...newSaleDraft(NOW), ...SALE_PRESETS.goods };
  expect(checkableRequest(fine, NOW)).toEqual(saleRequestOf(fine, NOW));
});

test('the id of a form stays the same, so that sending it twice creates one sale; a relative start counts from the submit', () => {
  const draft = newSaleDraft(NOW);
  expect(saleRequestOf(draft, NOW + 5_000)).toMatchObject({
    id: saleRequestOf(draft, NOW).id,
    opensAt: saleRequestOf(draft, NOW).opensAt + 5_000,
  });
});
