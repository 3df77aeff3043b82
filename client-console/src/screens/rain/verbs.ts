import type { RainState } from '../../state/responses.ts';

export type VerbName = 'start' | 'load' | 'resume' | 'schedule' | 'pause' | 'topUp' | 'tickets' | 'recycle' | 'close';

/**
 * The verbs that are possible in a state.
 * @param opened the opening time has passed; then a paused rain cannot be started, only resumed
 */
export function verbsOf(state: RainState, opened: boolean): readonly VerbName[] {
  switch (state) {
    case 'draft':
      return ['load', 'topUp', 'tickets', 'close'];
    case 'loaded':
      return ['start', 'schedule', 'pause', 'topUp', 'tickets', 'close'];
    case 'open':
      return ['pause', 'topUp', 'tickets', 'close'];
    case 'paused':
      return opened
        ? ['resume', 'topUp', 'tickets', 'close']
        : ['resume', 'start', 'schedule', 'topUp', 'tickets', 'close'];
    case 'closed':
      return ['recycle'];
    // Before its start; later the refusal names the way out.
    case 'lost':
      return ['load'];
    case 'settled':
      return [];
    default:
      return state satisfies never;
  }
}
