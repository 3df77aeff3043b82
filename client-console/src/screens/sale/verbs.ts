import type { RainState } from '../../state/responses.ts';

export type SaleVerb = 'load' | 'start' | 'pause' | 'resume' | 'topUp' | 'tickets' | 'end';

/**
 * The verbs that are possible in a state.
 * @param opened the opening time has passed; then a paused sale cannot be started, only resumed
 */
export function saleVerbsOf(state: RainState, opened: boolean): readonly SaleVerb[] {
  switch (state) {
    case 'draft':
      return ['load', 'topUp', 'tickets', 'end'];
    case 'loaded':
      return ['start', 'pause', 'topUp', 'tickets', 'end'];
    case 'open':
      return ['pause', 'topUp', 'tickets', 'end'];
    case 'paused':
      return opened ? ['resume', 'topUp', 'tickets', 'end'] : ['resume', 'start', 'topUp', 'tickets', 'end'];
    // After its start somebody may have reserved in it, and it is written off.
    case 'lost':
      return opened ? [] : ['load'];
    case 'closed':
    case 'settled':
      return [];
    default:
      return state satisfies never;
  }
}
