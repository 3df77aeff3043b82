import { callersApi } from './callers.ts';
import { campaignsApi } from './campaigns.ts';
import { deadApi } from './dead.ts';
import type { Endpoint } from './endpoint.ts';
import { liveApi } from './live.ts';
import { rainsApi } from './rains.ts';
import { sessionApi } from './session.ts';
import { systemApi } from './system.ts';
import { winnersApi } from './winners.ts';

/** All endpoints of the console. */
export const API: readonly Endpoint[] = [sessionApi, rainsApi, campaignsApi, winnersApi, liveApi, deadApi, callersApi, systemApi].flatMap((group): Endpoint[] => Object.values(group));
