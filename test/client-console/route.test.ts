import { expect, test } from 'vitest';
import { hashOf, routeOf, type Route } from '../../client-console/src/state/route.ts';
import { saleVerbsOf } from '../../client-console/src/screens/sale/verbs.ts';
import { verbsOf } from '../../client-console/src/screens/rain/verbs.ts';

const ROUTES: Route[] = [
  { screen: 'participants' },
  { screen: 'participant-cards' },
  { screen: 'participant-cards', find: 'E 1/2' },
  { screen: 'rains' },
  { screen: 'create' },
  { screen: 'rehearse' },
  { screen: 'themes' },
  { screen: 'theme', themeId: 'a b' },
  { screen: 'create', campaignId: 'c1' },
  { screen: 'create', likeId: 'c1.2' },
  { screen: 'rain', rainId: 'c1.2' },
  { screen: 'live', rainId: 'a' },
  { screen: 'winners', rainId: 'a/b %' },
  { screen: 'winners-sheet', rainId: 'a/b %' },
  { screen: 'sales' },
  { screen: 'create-sale' },
  { screen: 'create-sale', campaignId: 'c1' },
  { screen: 'sale', saleId: 'c1.2' },
  { screen: 'sale-live', saleId: 'a' },
  { screen: 'orders', saleId: 'a/b %' },
  { screen: 'orders-sheet', saleId: 'a/b %' },
  { screen: 'campaigns' },
  { screen: 'campaign', campaignId: 'c1' },
  { screen: 'dead' },
  { screen: 'order-letters' },
  { screen: 'order-letters', saleId: 'c1.2' },
  { screen: 'blocks' },
  { screen: 'users' },
  { screen: 'switches' },
  { screen: 'remote' },
  { screen: 'remote', rainId: 'c1.2' },
  { screen: 'actions' },
  { screen: 'system' },
  { screen: 'queues' },
  { screen: 'queues', queue: 'ordersLater' },
  { screen: 'queues', queue: 'credit', state: 'failed' },
];

test.each(ROUTES)('an address leads to its screen: %o', (route) => expect(routeOf(hashOf(route))).toEqual(route));

test.each(['', '#', '#/', '#/nowhere', '#/rains', '#/rains/'])('%o leads to the list of rains', (hash) =>
  expect(routeOf(hash)).toEqual({ screen: 'rains' }),
);
test.each(['#/queues/dead', '#/queues/nothing'])('%o leads to all queues', (hash) =>
  expect(routeOf(hash)).toEqual({ screen: 'queues' }),
);
test('an address with a truncated escape causes no error', () =>
  expect(routeOf('#/rains/%e4%b')).toEqual({ screen: 'rain', rainId: '%e4%b' }));

test('only the possible verbs of a rain are offered', () => {
  expect(verbsOf('loaded', false)).toContain('start');
  expect(verbsOf('paused', true)).not.toContain('start');
  expect(verbsOf('open', true)).not.toContain('recycle');
  expect(verbsOf('closed', true)).toEqual(['recycle']);
  expect(verbsOf('settled', true)).toEqual([]);
});

test('only the possible verbs of a sale are offered', () => {
  expect(saleVerbsOf('draft', true)).toEqual(['load', 'topUp', 'tickets', 'end']);
  expect(saleVerbsOf('loaded', false)).toContain('start');
  expect(saleVerbsOf('paused', true)).not.toContain('start');
  expect(saleVerbsOf('open', true)).toEqual(['pause', 'topUp', 'tickets', 'end']);
  expect(saleVerbsOf('settled', true)).toEqual([]);
  expect(
    [saleVerbsOf('lost', false), saleVerbsOf('lost', true)],
    'what is lost after its start is not loaded again',
  ).toEqual([['load'], []]);
});
