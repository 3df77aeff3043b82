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

/** `#/rains/<id>/live` → the screen. An unknown address leads to the list of rains. */
export function routeOf(hash: string): Route {
  const [first = '', second, third, fourth] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  const single = SINGLE.find((name) => name === first);
  if (single) return { screen: single };
  if (first === 'dead')
    return second !== 'orders' ? { screen: 'dead' } : { screen: 'order-letters', ...(third && { saleId: third }) };
  if (first === 'queues')
    return second && isWorked(second)
      ? { screen: 'queues', queue: second, ...(third === 'failed' && { state: third }) }
      : { screen: 'queues' };
  if (first === 'remote') return { screen: 'remote', ...(second && { rainId: second }) };
  if (first === 'participants')
    return second === 'cards'
      ? { screen: 'participant-cards', ...(third && { find: third }) }
      : { screen: 'participants' };
  if (first === 'create' && second === 'like' && third) return { screen: 'create', likeId: third };
  if (first === 'create') return second ? { screen: 'create', campaignId: second } : { screen: 'create' };
  if (first === 'sales' || first === 'create-sale') return saleRouteOf(first, second, third, fourth);
  if (first === 'campaigns') return second ? { screen: 'campaign', campaignId: second } : { screen: 'campaigns' };
  if (first === 'themes') return second ? { screen: 'theme', themeId: second } : { screen: 'themes' };
  if (first !== 'rains' || !second) return { screen: 'rains' };
  if (third === 'winners' && fourth === 'sheet') return { screen: 'winners-sheet', rainId: second };
  return { screen: third === 'live' || third === 'winners' ? third : 'rain', rainId: second };
}

function saleRouteOf(
  first: 'sales' | 'create-sale',
  saleId: string | undefined,
  part: string | undefined,
  further: string | undefined,
): Route {
  if (first === 'create-sale') return { screen: 'create-sale', ...(saleId && { campaignId: saleId }) };
  if (!saleId) return { screen: 'sales' };
  if (part === 'orders' && further === 'sheet') return { screen: 'orders-sheet', saleId };
  return { screen: part === 'live' ? 'sale-live' : part === 'orders' ? 'orders' : 'sale', saleId };
}

export function hashOf(route: Route): string {
  switch (route.screen) {
    case 'rain':
      return `#/rains/${encodeURIComponent(route.rainId)}`;
    case 'live':
    case 'winners':
      return `#/rains/${encodeURIComponent(route.rainId)}/${route.screen}`;
    case 'winners-sheet':
      return `#/rains/${encodeURIComponent(route.rainId)}/winners/sheet`;
    case 'sale':
      return `#/sales/${encodeURIComponent(route.saleId)}`;
    case 'sale-live':
      return `#/sales/${encodeURIComponent(route.saleId)}/live`;
    case 'orders':
      return `#/sales/${encodeURIComponent(route.saleId)}/orders`;
    case 'orders-sheet':
      return `#/sales/${encodeURIComponent(route.saleId)}/orders/sheet`;
    case 'campaign':
      return `#/campaigns/${encodeURIComponent(route.campaignId)}`;
    case 'theme':
      return `#/themes/${encodeURIComponent(route.themeId)}`;
    case 'create':
      return route.likeId !== undefined
        ? `#/create/like/${encodeURIComponent(route.likeId)}`
        : route.campaignId === undefined
          ? '#/create'
          : `#/create/${encodeURIComponent(route.campaignId)}`;
    case 'create-sale':
      return route.campaignId === undefined ? '#/create-sale' : `#/create-sale/${encodeURIComponent(route.campaignId)}`;
    case 'order-letters':
      return route.saleId === undefined ? '#/dead/orders' : `#/dead/orders/${encodeURIComponent(route.saleId)}`;
    case 'remote':
      return route.rainId === undefined ? '#/remote' : `#/remote/${encodeURIComponent(route.rainId)}`;
    case 'queues':
      return ['#/queues', route.queue, route.state].filter((part) => part !== undefined).join('/');
    case 'participant-cards':
      return ['#/participants/cards', ...(route.find === undefined ? [] : [encodeURIComponent(route.find)])].join('/');
    case 'rains':
    case 'rehearse':
    case 'themes':
    case 'sales':
    case 'campaigns':
    case 'dead':
    case 'blocks':
    case 'participants':
    case 'users':
    case 'switches':
    case 'actions':
    case 'system':
    case 'approvals':
    case 'account':
      return `#/${route.screen}`;
    default:
      return route satisfies never;
  }
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
