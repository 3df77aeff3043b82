import { expect, test } from 'vitest';
import { hashOf, routeOf, type Route } from '../../client-console/src/state/route.ts';
import { verbsOf } from '../../client-console/src/screens/rain/verbs.ts';

const ROUTES: Route[] = [
  { screen: 'rains' }, { screen: 'create' }, { screen: 'create', campaignId: 'c1' }, { screen: 'rain', rainId: 'c1.2' }, { screen: 'live', rainId: 'a' }, { screen: 'winners', rainId: 'a/b %' },
  { screen: 'campaigns' }, { screen: 'campaign', campaignId: 'c1' }, { screen: 'dead' }, { screen: 'blocks' }, { screen: 'switches' }, { screen: 'actions' }, { screen: 'system' },
];

test.each(ROUTES)('an address leads to its screen: %o', (route) => expect(routeOf(hashOf(route))).toEqual(route));

test.each(['', '#', '#/', '#/nowhere', '#/rains', '#/rains/'])('%o leads to the list of rains', (hash) => expect(routeOf(hash)).toEqual({ screen: 'rains' }));
test('an address with a truncated escape causes no error', () => expect(routeOf('#/rains/%e4%b')).toEqual({ screen: 'rain', rainId: '%e4%b' }));

test('only the possible verbs of a rain are offered', () => {
  expect(verbsOf('loaded', false)).toContain('start');
  expect(verbsOf('paused', true)).not.toContain('start');
  expect(verbsOf('open', true)).not.toContain('recycle');
  expect(verbsOf('closed', true)).toEqual(['recycle']);
  expect(verbsOf('settled', true)).toEqual([]);
});
