import { useEffect, useState } from 'preact/hooks';

/** A screen of the console and its parameters. */
export type Route =
  | { screen: 'rains' } | { screen: 'create'; campaignId?: string } | { screen: 'rain' | 'live' | 'winners'; rainId: string }
  | { screen: 'campaigns' } | { screen: 'campaign'; campaignId: string }
  | { screen: 'dead' | 'blocks' | 'switches' | 'actions' | 'system' };

const SINGLE = ['dead', 'blocks', 'switches', 'actions', 'system'] as const;

/** `#/rains/<id>/live` → the screen. An unknown address leads to the list of rains. */
export function routeOf(hash: string): Route {
  const [first = '', second, third] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  const single = SINGLE.find((name) => name === first);
  if (single) return { screen: single };
  if (first === 'create') return second ? { screen: 'create', campaignId: second } : { screen: 'create' };
  if (first === 'campaigns') return second ? { screen: 'campaign', campaignId: second } : { screen: 'campaigns' };
  if (first !== 'rains' || !second) return { screen: 'rains' };
  return { screen: third === 'live' || third === 'winners' ? third : 'rain', rainId: second };
}

export function hashOf(route: Route): string {
  switch (route.screen) {
    case 'rain': return `#/rains/${encodeURIComponent(route.rainId)}`;
    case 'live': case 'winners': return `#/rains/${encodeURIComponent(route.rainId)}/${route.screen}`;
    case 'campaign': return `#/campaigns/${encodeURIComponent(route.campaignId)}`;
    case 'create': return route.campaignId === undefined ? '#/create' : `#/create/${encodeURIComponent(route.campaignId)}`;
    case 'rains': case 'campaigns': case 'dead': case 'blocks': case 'switches': case 'actions': case 'system': return `#/${route.screen}`;
    default: return route satisfies never;
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
