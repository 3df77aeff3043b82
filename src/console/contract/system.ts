import { z } from 'zod';
import { rainId } from '../../rain/claim.ts';
import { endpoint } from './endpoint.ts';
import { count, cursor, limit, time } from './fields.ts';

const action = z.object({ id: z.string(), actor: z.string(), verb: z.string(), rainId: z.string().optional(), details: z.record(z.string(), z.unknown()), at: time });

const gateway = z.object({
  id: z.string(), address: z.string(), version: z.string(), startedAt: time, at: time.describe('When it was heard of last.'),
  sockets: count, grabsPending: count, pressed: z.boolean().describe('It gives something up because more is asked than it can do.'),
  answers: z.record(z.string(), count).describe('Grabs answered since it started, by code.'),
});

const lane = z.object({ waiting: count, active: count, delayed: count, failed: count });
const system = z.object({
  version: z.string(),
  redis: z.object({ up: z.boolean(), version: z.string().optional(), usedMemoryBytes: count.optional() }),
  database: z.object({ up: z.boolean() }),
  queues: z.object({ credit: lane, later: lane, dead: count }).nullable().describe('Null while Redis cannot be asked.'),
  workers: count.nullable().describe('Null where Redis does not tell who is connected.'),
});

export const systemApi = {
  actions: endpoint({
    id: 'listActions', method: 'GET', path: '/api/console/actions', tag: 'audit log', summary: 'Who did what, the latest first.', who: 'viewer',
    query: z.strictObject({ cursor: cursor.refine((text) => text === undefined || /^\d{1,18}$/.test(text), 'expected the `next` of the page before'), rainId: rainId.optional(), limit: limit(500) }), status: 200, answer: z.object({ actions: z.array(action), next: z.string().optional() }),
  }),
  gateways: endpoint({ id: 'listGateways', method: 'GET', path: '/api/console/gateways', tag: 'system', summary: 'The gateways that are heard of.', who: 'viewer', status: 200, answer: z.object({ gateways: z.array(gateway) }) }),
  system: endpoint({ id: 'showSystem', method: 'GET', path: '/api/console/system', tag: 'system', summary: 'Redis, database, queues, workers.', who: 'viewer', status: 200, answer: system }),
  openapi: endpoint({ id: 'openapi', method: 'GET', path: '/api/console/openapi.json', tag: 'system', summary: 'This document.', who: 'viewer', status: 200, answer: z.record(z.string(), z.unknown()) }),
};
