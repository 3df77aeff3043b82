import { expect, test } from 'vitest';
import { Hall } from '../../client-demo/src/hall/hall.ts';
import { welcomeOf } from '../support/servers/scriptedGateway.ts';
import { NOW, saleSnapshot, scriptClient, snapshot } from './scriptedClient.ts';

/** The screen of a hall, connected, with these rains and sales announced. */
function open(
  rains: ReturnType<typeof snapshot>[] = [],
  rainId?: string,
  {
    sales = [],
    saleId,
    refused = [],
  }: { sales?: ReturnType<typeof saleSnapshot>[]; saleId?: string; refused?: string[] } = {},
) {
  const scripted = scriptClient();
  for (const sale of refused) scripted.calls.refusedSales.add(sale);
  const hall = new Hall({ client: scripted.client, rainId, saleId, random: () => 0 });
  scripted.emit('link', { link: 'up' });
  scripted.emit('welcome', { ...welcomeOf('screen', NOW), rains, ...(sales.length > 0 && { sales }) });
  return { hall, ...scripted };
}

test('without a rain it is quiet; one that is announced is watched, and never grabbed', () => {
  const { hall, calls, emit } = open();
  expect(hall.view()).toEqual({ stage: 'quiet', lost: false, names: [] });
  const round = snapshot('round-1', { state: 'loaded', opensAt: NOW + 75_000 });
  emit('rain', round);
  expect([hall.view().stage, calls.joined]).toEqual(['connecting', ['round-1']]);
  emit('rain', round);
  expect(hall.view()).toMatchObject({ stage: 'before', title: 'round-1', seconds: 75, packets: 10, left: 10 });
});

test('through a rain: the countdown, what is left, who has won, and the end; figures of other rains change nothing', () => {
  const { hall, calls, emit } = open([snapshot('round-1', { state: 'loaded', opensAt: NOW + 5_000 })]);
  emit('rain', snapshot('round-1', { state: 'loaded', opensAt: NOW + 5_000 }));
  expect(hall.view()).toMatchObject({ stage: 'before', seconds: 5 });
  calls.now += 5_000;
  expect(hall.view().stage, 'by the clock').toBe('raining');
  emit('rain', snapshot('round-1', { left: 4 }));
  emit('rain', snapshot('another', { left: 1 }));
  emit('winners', { type: 'winners', rainId: 'another', winners: [{ user: 'x•••x', amount: '9.00' }] });
  emit('winners', {
    type: 'winners',
    rainId: 'round-1',
    winners: [
      { user: 'a•••n', amount: '1.00' },
      { user: 'b•••b', amount: '2.00' },
    ],
  });
  emit('winners', { type: 'winners', rainId: 'round-1', winners: [{ user: 'c•••l', amount: '3.00' }] });
  expect(hall.view()).toMatchObject({
    stage: 'raining',
    left: 4,
    names: [{ user: 'c•••l' }, { user: 'b•••b' }, { user: 'a•••n' }],
  });
  emit('rain', snapshot('round-1', { state: 'paused', left: 4 }));
  expect(hall.view().stage).toBe('paused');
  emit('rain', snapshot('round-1', { left: 0 }));
  expect(hall.view()).toMatchObject({ stage: 'gone', left: 0 });
  emit('rain', snapshot('round-1', { state: 'settled', left: 0 }));
  expect(hall.view().stage).toBe('after');
});

test('the next rain is told after the end, and on the screen before it starts, or at once when it is open; a screen for one rain stays', () => {
  const over = snapshot('round-1', { state: 'closed', left: 2 });
  const next = snapshot('round-2', { title: 'Second round', state: 'loaded', opensAt: NOW + 35_000 });
  for (const [fixed, wait] of [
    [undefined, true],
    [undefined, false],
    ['round-1', true],
  ] as const) {
    const { hall, calls, emit } = open([snapshot('round-1')], fixed);
    emit('rain', over);
    emit('rain', wait ? next : { ...next, state: 'open', opensAt: NOW });
    if (fixed === undefined) expect(hall.view().next).toEqual({ title: 'Second round', ...(wait && { seconds: 35 }) });
    hall.tick();
    expect(calls.joined.at(-1)).toBe(wait ? 'round-1' : 'round-2');
    calls.now += 30_000;
    hall.tick();
    expect([calls.joined.at(-1), calls.left]).toEqual(fixed === undefined ? ['round-2', ['round-1']] : ['round-1', []]);
  }
});

test('a lost connection and a refusal are told', () => {
  const { hall, emit } = open([snapshot('round-1')]);
  emit('link', { link: 'lost' });
  expect(hall.view().lost).toBe(true);
  emit('link', { link: 'no_token' });
  expect(hall.view().stage).toBe('no_token');
});

test('the id in the address may be that of a sale; what is neither a rain nor a sale is told, until it is announced', async () => {
  const noRain = { type: 'result', rainId: 'drop', code: '-8', reason: 'no_such_rain' } as const;
  const found = open([], 'drop');
  found.emit('result', noRain);
  found.hall.tick();
  expect([found.calls.left, found.calls.visited]).toEqual([['drop'], ['drop']]);
  found.emit('sale', saleSnapshot('drop'));
  expect(found.hall.view()).toMatchObject({ stage: 'selling', saleId: 'drop' });

  const none = open([], 'drop', { refused: ['drop'] });
  none.emit('result', noRain);
  none.hall.tick();
  await Promise.resolve();
  none.hall.tick();
  expect(none.hall.view(), 'a title of neither').toEqual({ stage: 'unknown', lost: false, names: [] });
  none.emit('rain', snapshot('drop', { state: 'loaded', opensAt: NOW + 60_000 }));
  expect(none.hall.view()).toMatchObject({ stage: 'before', rainId: 'drop' });
});

test('through a sale: the countdown, what is left of each item, none left, units that come back, the end and what was taken', () => {
  const items = (seats: number, mugs: number) => [
    { sku: 'seat', name: 'Seat', price: '0.00', units: 10, left: seats },
    { sku: 'mug', price: '9.90', units: 5, left: mugs },
  ];
  const sale = { state: 'loaded', title: 'Ticket drop', opensAt: NOW + 5_000 } as const;
  const { hall, calls, emit } = open([], undefined, { sales: [saleSnapshot('drop', sale)] });
  expect([hall.view().stage, calls.visited]).toEqual(['connecting', ['drop']]);
  emit('sale', saleSnapshot('drop', { ...sale, items: items(10, 5) }));
  expect(hall.view()).toMatchObject({ stage: 'sale_before', title: 'Ticket drop', saleId: 'drop', seconds: 5 });
  calls.now += 5_000;
  expect(hall.view(), 'by the clock').toMatchObject({ stage: 'selling', seconds: 595 });
  emit('sale', saleSnapshot('drop', { items: items(3, 0) }));
  emit('sale', saleSnapshot('another', { items: items(1, 1) }));
  expect(hall.view().items).toEqual([
    { sku: 'seat', name: 'Seat', price: '0.00', units: 10, left: 3 },
    { sku: 'mug', name: 'mug', price: '9.90', units: 5, left: 0 },
  ]);
  emit('sale', saleSnapshot('drop', { items: items(0, 0) }));
  expect(hall.view().stage).toBe('sold_out');
  emit('sale', saleSnapshot('drop', { items: items(0, 1) }));
  expect(hall.view().stage).toBe('selling');
  emit('sale', saleSnapshot('drop', { state: 'paused', items: items(0, 1) }));
  expect(hall.view().stage).toBe('sale_paused');
  emit('sale', saleSnapshot('drop', { state: 'closed', items: items(2, 1) }));
  expect(hall.view().stage).toBe('sale_over');
  emit('sale', saleSnapshot('drop', { state: 'settled', items: items(0, 0) }));
  expect(
    hall.view().items?.map(({ left }) => left),
    'settlement takes back what was left',
  ).toEqual([2, 1]);
});

test('of a sale that was settled before the screen came, nobody says what was taken', () => {
  const { hall, emit } = open([], undefined, { saleId: 'drop' });
  emit('sale', saleSnapshot('drop', { state: 'settled', items: [{ sku: 'seat', price: '0.00', units: 10, left: 0 }] }));
  expect(hall.view()).toMatchObject({
    stage: 'sale_over',
    items: [{ sku: 'seat', name: 'seat', price: '0.00', units: 10 }],
  });
  expect(hall.view().items![0]).not.toHaveProperty('left');
});

test('a rain that starts takes the screen of a sale, and the sale comes back after its end', () => {
  const { hall, calls, emit } = open([], undefined, { sales: [saleSnapshot('drop')] });
  emit('sale', saleSnapshot('drop'));
  emit('rain', snapshot('round-1', { title: 'Round one', state: 'loaded', opensAt: NOW + 60_000 }));
  hall.tick();
  expect(hall.view()).toMatchObject({ saleId: 'drop', next: { title: 'Round one', seconds: 60 } });
  calls.now += 50_000;
  hall.tick();
  expect([calls.joined, calls.leftSales]).toEqual([['round-1'], ['drop']]);
  emit('rain', snapshot('round-1', { opensAt: NOW + 60_000 }));
  calls.now += 10_000;
  hall.tick();
  expect(hall.view().stage).toBe('raining');
  emit('rain', snapshot('round-1', { left: 0 }));
  hall.tick();
  expect(hall.view()).toMatchObject({ stage: 'gone', next: { title: 'drop' } });
  calls.now += 29_000;
  hall.tick();
  expect(hall.view().stage, 'the luckiest stay for a while').toBe('gone');
  calls.now += 1_000;
  hall.tick();
  expect(calls.visited).toEqual(['drop', 'drop']);
});
