import { campaignsApi } from './campaigns.ts';
import { deadApi } from './dead.ts';
import type { Endpoint } from './endpoint.ts';
import { liveApi } from './live.ts';
import { rainsApi } from './rains.ts';
import { reconcileApi } from './reconcile.ts';
import { restoreApi } from './restore.ts';
import { sessionApi } from './session.ts';
import { systemApi } from './system.ts';
import { winnersApi } from './winners.ts';

/** The endpoints of the console, by subject. */
export type Api = typeof groups;
const groups = { session: sessionApi, rains: rainsApi, campaigns: campaignsApi, winners: winnersApi, reconcile: reconcileApi, restore: restoreApi, live: liveApi, dead: deadApi, system: systemApi };

export const API: readonly Endpoint[] = Object.values(groups).flatMap((group): Endpoint[] => Object.values(group));
