import { checkStores } from '../../operator/restore/check.ts';
import { DIFFERING_RAINS_MAX, restoreApi } from '../contract/restore.ts';
import { declined, route, type Route } from './route.ts';

/** Parallel checks. Each reads all claims of many rains [R10]. */
const CHECKS_MAX = 1;
let checking = 0;

export const restoreRoutes: readonly Route[] = [
  route(restoreApi.check, async ({ context, query: { rainId } }) => {
    if (checking >= CHECKS_MAX) return declined('too_many');
    checking++;
    try {
      const checked = await checkStores(context, rainId);
      if (!checked) return declined('no_such_rain');
      return { answer: { ...checked, rains: checked.rains.slice(0, DIFFERING_RAINS_MAX), complete: checked.rains.length <= DIFFERING_RAINS_MAX } };
    } finally {
      checking--;
    }
  }),
];
