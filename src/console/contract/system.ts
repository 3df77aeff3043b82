import { z } from 'zod';
import { rainId } from '../../rain/claim.ts';
import { endpoint } from './endpoint.ts';
import { count, cursor, limit, time } from './fields.ts';

const action = z.object({ id: z.string(), actor: z.string(), verb: z.string(), rainId: z.string().optional(), details: z.record(z.string(), z.unknown()), at: time });

const gateway = z.object({
  id: z.string(), address: z.string(), version: z.string(), startedAt: time, at: time.describe('Time of the last heartbeat.'),
  sockets: count, grabsPending: count, pressed: z.boolean().describe('It is overloaded and has stopped serving something.'),
  answers: z.record(z.string(), count).describe('Grabs answered since the start, by code.'),
});

const lane = z.object({ waiting: count, active: count, delayed: count, failed: count });
const system = z.object({
  version: z.string(),
  redis: z.object({ up: z.boolean(), version: z.string().optional(), usedMemoryBytes: count.optional() }),
  database: z.object({ up: z.boolean() }),
  queues: z.object({ credit: lane, later: lane, dead: count }).nullable().describe('Null while Redis is unreachable.'),
  workers: count.nullable().describe('Null if Redis does not list its clients.'),
});

export const systemApi = {
  actions: endpoint({
    id: 'listActions', method: 'GET', path: '/api/console/actions', tag: 'audit log', summary: 'The audit log: which operator did what, latest first.', access: 'viewer',
    query: z.strictObject({ cursor: cursor.refine((text) => text === undefined || /^\d{1,18}$/.test(text), 'expected the `next` of the previous page'), rainId: rainId.optional(), limit: limit(500) }), status: 200, answer: z.object({ actions: z.array(action), next: z.string().optional() }),
  }),
  gateways: endpoint({ id: 'listGateways', method: 'GET', path: '/api/console/gateways', tag: 'system', summary: 'The gateways with a current heartbeat.', access: 'viewer', status: 200, answer: z.object({ gateways: z.array(gateway) }) }),
  system: endpoint({ id: 'showSystem', method: 'GET', path: '/api/console/system', tag: 'system', summary: 'Redis, database, queues, workers.', access: 'viewer', status: 200, answer: system }),
  openapi: endpoint({ id: 'openapi', method: 'GET', path: '/api/console/openapi.json', tag: 'system', summary: 'This document.', access: 'viewer', status: 200, answer: z.record(z.string(), z.unknown()) }),
};
