import { readHeartbeats } from '../../store/gatewayHeartbeat.ts';
import { readSystem } from '../../operator/system.ts';
import { iso } from '../../rain/figures.ts';
import { systemApi } from '../contract/system.ts';
import { openApi } from '../openapi.ts';
import { route, type Route } from './route.ts';

export const systemRoutes: readonly Route[] = [
  route(systemApi.actions, async ({ context, query: { cursor, rainId, limit } }) => {
    const found = await context.ledger.latestActions({ limit, ...(rainId !== undefined && { rainId }), ...(cursor !== undefined && { before: BigInt(cursor) }) });
    const last = found.length === limit ? found.at(-1) : undefined;
    return { answer: { actions: found.map(({ at, details = {}, ...plain }) => ({ ...plain, details: { ...details }, at: iso(at) })), ...(last && { next: last.id }) } };
  }),

  route(systemApi.gateways, async ({ context }) => ({
    answer: { gateways: (await readHeartbeats(context.redis)).map(({ startedAt, at, ...plain }) => ({ ...plain, startedAt: iso(startedAt), at: iso(at) })) },
  })),

  route(systemApi.system, async ({ context }) => ({ answer: await readSystem(context) })),

  route(systemApi.openapi, async () => ({ answer: openApi() })),
];
