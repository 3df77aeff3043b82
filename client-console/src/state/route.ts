import { useEffect, useState } from 'preact/hooks';
import { isWorked, type ListedState, type WorkedQueue } from '../../../src/operator/queues/names.ts';

/** A screen of the console and its parameters. */
export type Route =
  | { screen: 'rains' }
  | { screen: 'create'; campaignId?: string; likeId?: string }
  | { screen: 'rain' | 'live' | 'winners' | 'winners-sheet'; rainId: string }
  | { screen: 'sales' }
  | { screen: 'create-sale'; campaignId?: string }
  | { screen: 'sale' | 'sale-live' | 'orders' | 'orders-sheet'; saleId: string }
  | { screen: 'campaigns' }
  | { screen: 'campaign'; campaignId: string }
  | { screen: 'order-letters'; saleId?: string }
  | { screen: 'themes' }
  | { screen: 'theme'; themeId: string }
  | { screen: 'remote'; rainId?: string }
  | { screen: 'queues'; queue?: WorkedQueue; state?: ListedState }
  | { screen: 'participants' }
  | { screen: 'participant-cards'; find?: string }
  | { screen: 'dead' | 'blocks' | 'users' | 'switches' | 'actions' | 'system' | 'approvals' | 'account' | 'rehearse' };

const SINGLE = ['rehearse', 'blocks', 'users', 'switches', 'actions', 'system', 'approvals', 'account'] as const;

type Part = string | undefined;

/** The screens below each first part of an address, by its further parts. */
const ROOMS = new Map<string, (second: Part, third: Part, fourth: Part) => Route>([
  ...SINGLE.map((screen) => [screen, () => ({ screen })] as const),
  [
    'dead',
    (second, third) =>
      second !== 'orders' ? { screen: 'dead' } : { screen: 'order-letters', ...(third && { saleId: third }) },
  ],
  [
    'queues',
    (second, third) =>
      second && isWorked(second)
        ? { screen: 'queues', queue: second, ...(third === 'failed' && { state: third }) }
        : { screen: 'queues' },
  ],
  ['remote', (second) => ({ screen: 'remote', ...(second && { rainId: second }) })],
  [
    'participants',
    (second, third) =>
      second === 'cards' ? { screen: 'participant-cards', ...(third && { find: third }) } : { screen: 'participants' },
  ],
  [
    'create',
    (second, third) => {
      if (second === 'like' && third) return { screen: 'create', likeId: third };
      return second ? { screen: 'create', campaignId: second } : { screen: 'create' };
    },
  ],
  ['create-sale', (second) => ({ screen: 'create-sale', ...(second && { campaignId: second }) })],
  ['sales', saleRouteOf],
  ['campaigns', (second) => (second ? { screen: 'campaign', campaignId: second } : { screen: 'campaigns' })],
  ['themes', (second) => (second ? { screen: 'theme', themeId: second } : { screen: 'themes' })],
  [
    'rains',
    (second, third, fourth) => {
      if (!second) return { screen: 'rains' };
      if (third === 'winners' && fourth === 'sheet') return { screen: 'winners-sheet', rainId: second };
      return { screen: third === 'live' || third === 'winners' ? third : 'rain', rainId: second };
    },
  ],
]);

/** `#/rains/<id>/live` → the screen. An unknown address leads to the list of rains. */
export function routeOf(hash: string): Route {
  const [first = '', second, third, fourth] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  return ROOMS.get(first)?.(second, third, fourth) ?? { screen: 'rains' };
}

function saleRouteOf(saleId: Part, part: Part, further: Part): Route {
  if (!saleId) return { screen: 'sales' };
  if (part === 'orders' && further === 'sheet') return { screen: 'orders-sheet', saleId };
  return { screen: part === 'live' ? 'sale-live' : part === 'orders' ? 'orders' : 'sale', saleId };
}

type ScreenName = Route['screen'];
type RouteTo<Name extends ScreenName> = Route & { screen: Name };

const alone = ({ screen }: Route): Part[] => [screen];

/** The parts of each screen's address; absent ones are left out. */
const PATHS: { [Name in ScreenName]: (route: RouteTo<Name>) => Part[] } = {
  rain: ({ rainId }) => ['rains', rainId],
  live: ({ rainId }) => ['rains', rainId, 'live'],
  winners: ({ rainId }) => ['rains', rainId, 'winners'],
  'winners-sheet': ({ rainId }) => ['rains', rainId, 'winners', 'sheet'],
  sale: ({ saleId }) => ['sales', saleId],
  'sale-live': ({ saleId }) => ['sales', saleId, 'live'],
  orders: ({ saleId }) => ['sales', saleId, 'orders'],
  'orders-sheet': ({ saleId }) => ['sales', saleId, 'orders', 'sheet'],
  campaign: ({ campaignId }) => ['campaigns', campaignId],
  theme: ({ themeId }) => ['themes', themeId],
  create: ({ likeId, campaignId }) => (likeId === undefined ? ['create', campaignId] : ['create', 'like', likeId]),
  'create-sale': ({ campaignId }) => ['create-sale', campaignId],
  'order-letters': ({ saleId }) => ['dead', 'orders', saleId],
  remote: ({ rainId }) => ['remote', rainId],
  queues: ({ queue, state }) => ['queues', queue, state],
  'participant-cards': ({ find }) => ['participants', 'cards', find],
  rains: alone,
  rehearse: alone,
  themes: alone,
  sales: alone,
  campaigns: alone,
  dead: alone,
  blocks: alone,
  participants: alone,
  users: alone,
  switches: alone,
  actions: alone,
  system: alone,
  approvals: alone,
  account: alone,
};

export function hashOf(route: Route): string {
  return `#/${partsOf(route)
    .filter((part) => part !== undefined)
    .map(encodeURIComponent)
    .join('/')}`;
}

function partsOf<Name extends ScreenName>(route: RouteTo<Name>): Part[] {
  return PATHS[route.screen](route);
}

export function go(route: Route): void {
  location.hash = hashOf(route);
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return routeOf(hash);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
