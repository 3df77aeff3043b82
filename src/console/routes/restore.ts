import { checkStores } from '../../operator/restore/check.ts';
import { DIFFERING_RAINS_MAX, restoreApi } from '../contract/restore.ts';
import { AT_ONCE, inPlace } from './atOnce.ts';
import { declined, route, type Route } from './route.ts';

export const restoreRoutes: readonly Route[] = [
  route(restoreApi.check, ({ context, visitor, query: { rainId } }) =>
    inPlace(AT_ONCE.restoreChecks, visitor, async () => {
      const checked = await checkStores(context, rainId);
      if (!checked) return declined('no_such_rain');
      return {
        answer: {
          ...checked,
          rains: checked.rains.slice(0, DIFFERING_RAINS_MAX),
          complete: checked.rains.length <= DIFFERING_RAINS_MAX,
        },
      };
    }),
  ),
];
