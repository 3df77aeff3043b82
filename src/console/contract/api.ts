import { callersApi } from './callers.ts';
import { campaignsApi } from './campaigns.ts';
import { deadApi } from './dead.ts';
import type { Endpoint } from './endpoint.ts';
import { liveApi } from './live.ts';
import { rainsApi } from './rains.ts';
import { sessionApi } from './session.ts';
import { systemApi } from './system.ts';
import { winnersApi } from './winners.ts';

/** All that the console can be asked for. */
export const API: readonly Endpoint[] = [sessionApi, rainsApi, campaignsApi, winnersApi, liveApi, deadApi, callersApi, systemApi].flatMap((part): Endpoint[] => Object.values(part));
