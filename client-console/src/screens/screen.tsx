import type { Route } from '../state/route.ts';
import { Actions } from './actions.tsx';
import { Blocks } from './blocks.tsx';
import { Campaign, Campaigns } from './campaigns.tsx';
import { Create } from './create/create.tsx';
import { Dead } from './dead-letters.tsx';
import { LiveScreen } from './live/live.tsx';
import { RainPage } from './rain/rain.tsx';
import { Rains } from './rains.tsx';
import { Switches } from './switches.tsx';
import { System } from './system.tsx';
import { Winners } from './winners.tsx';

/** The screen of a route. The keys reset a screen's state when another rain is opened. */
export function Screen({ route }: { route: Route }) {
  switch (route.screen) {
    case 'rains': return <Rains />;
    case 'create': return <Create key={route.campaignId} campaignId={route.campaignId} />;
    case 'rain': return <RainPage key={route.rainId} rainId={route.rainId} />;
    case 'live': return <LiveScreen key={route.rainId} rainId={route.rainId} />;
    case 'winners': return <Winners key={route.rainId} rainId={route.rainId} />;
    case 'campaigns': return <Campaigns />;
    case 'campaign': return <Campaign key={route.campaignId} campaignId={route.campaignId} />;
    case 'dead': return <Dead />;
    case 'blocks': return <Blocks />;
    case 'switches': return <Switches />;
    case 'actions': return <Actions />;
    case 'system': return <System />;
    default: return route satisfies never;
  }
}
