import { z } from 'zod';
import { rainId } from '../../rain/ids.ts';
import { ACTION_VERBS } from '../../ledger/actions.ts';
import { BEHIND } from '../../operator/restore/behind.ts';
import { HOLD_REASONS, SALE_HOLD_REASONS } from '../../store/holds.ts';
import { switchName } from '../../store/killSwitches.ts';
import { count, forMs, limit, numericCursor, reason, time, type Endpoint } from './endpoint.ts';

const action = z.object({
  id: z.string(),
  actor: z.string(),
  verb: z.string(),
  rainId: z.string().optional(),
  isSale: z.literal(true).optional().describe('`rainId` is the id of a sale.'),
  details: z.record(z.string(), z.unknown()),
  at: time,
});

const moment = z.iso
  .datetime({ offset: true, error: 'expected ISO 8601 with a zone, such as 2026-12-31T20:00:00+08:00' })
  .transform(Date.parse);
const actionQuery = z
  .strictObject({
    cursor: numericCursor(1e18),
    rainId: rainId.optional().describe('The id of a rain or of a sale.'),
    verb: z.enum(ACTION_VERBS, `expected one of ${ACTION_VERBS.join(', ')}`).optional(),
    actor: z
      .string()
      .min(1)
      .max(128, 'expected at most 128 characters')
      .optional()
      .describe('As the answers name it, such as `console:ann`.'),
    since: moment.optional().describe('ISO 8601. Actions of this time and later.'),
    until: moment.optional().describe('ISO 8601. Actions before this time.'),
    limit: limit(500),
  })
  .refine(({ since = -Infinity, until = Infinity }) => !(since >= until), {
    path: ['until'],
    error: 'expected a time after since',
  });

const gateway = z.object({
  id: z.string(),
  address: z.string(),
  version: z.string(),
  startedAt: time,
  at: time.describe('Time of the last heartbeat.'),
  sockets: count,
  screens: count.describe('Sockets that only watch, such as the screen of a hall.'),
  grabsPending: count,
  pressed: z.boolean().describe('It is overloaded and has stopped serving something.'),
  answers: z.record(z.string(), count).describe('Grabs answered since the start, by code.'),
});

const lane = z.object({ waiting: count, active: count, delayed: count, failed: count });
const system = z.object({
  version: z.string(),
  redis: z.object({ up: z.boolean(), version: z.string().optional(), usedMemoryBytes: count.optional() }),
  database: z.object({ up: z.boolean() }),
  queues: z
    .object({
      credit: lane,
      later: lane,
      dead: count.describe('Dead letters of claims.'),
      orders: lane,
      ordersLater: lane.describe('Orders that the order service has not accepted yet.'),
      ordersEnded: lane.describe('Orders that have ended, of which the order service is not told yet.'),
      ordersDead: count.describe('Dead letters of orders.'),
    })
    .nullable()
    .describe('Null while Redis is unreachable.'),
  workers: count.nullable().describe('Null if Redis does not list its clients.'),
  held: z
    .array(z.object({ rainId: z.string(), reason: z.enum(HOLD_REASONS) }))
    .nullable()
    .describe(
      'Rains in which nothing is granted, because Redis and the database do not agree. Null while Redis is unreachable.',
    ),
  heldSales: z
    .array(z.object({ saleId: z.string(), reason: z.enum(SALE_HOLD_REASONS) }))
    .nullable()
    .describe('Sales in which nothing is sold, for the same reason. Null while Redis is unreachable.'),
  stores: z
    .object({
      behind: z
        .array(z.enum(BEHIND))
        .describe(
          'Stores that are an older state than the other one; ledger: the database; foreign: they were not used together.',
        ),
      compared: z
        .boolean()
        .describe('False: Redis was restarted, and no worker has compared it with the database since.'),
      lost: z.array(z.string()).describe('Rains that Redis has lost, in whole or in part.'),
    })
    .nullable()
    .describe('Whether Redis and the database are of the same time. Null while one of them is unreachable.'),
});

const kind = z.enum(['user', 'address'], 'expected user or address');
const block = z.object({
  kind,
  who: z.string(),
  reason: z.string(),
  actor: z.string(),
  since: time,
  until: time.optional(),
});

const blocks = '/api/console/blocks';
const position = z.enum(['on', 'off', 'auto'], 'expected on, off or auto');
const oneSwitch = z.object({
  name: switchName,
  position: position.describe('auto: each gateway decides itself.'),
  held: z
    .object({
      position: z.enum(['on', 'off']),
      reason: z.string(),
      actor: z.string(),
      since: time,
      until: time.optional(),
    })
    .optional(),
});

/**
 * Everything that is not about a rain: blocks of users and addresses, the kill switches of the gateways, the audit log,
 * the servers.
 */
export const systemApi = {
  blocks: {
    id: 'listBlocks',
    method: 'GET',
    path: blocks,
    tag: 'blocks',
    summary: 'The active blocks, latest first.',
    access: 'viewer',
    status: 200,
    answer: z.object({ blocks: z.array(block) }),
  },
  block: {
    id: 'block',
    method: 'POST',
    path: blocks,
    tag: 'blocks',
    summary: 'Block a user or an address. Moves no money.',
    access: 'operator',
    body: z.strictObject({ kind, who: z.string('expected a user, an address or a network').max(256), reason, forMs }),
    status: 201,
    answer: z.object({ block }),
  },
  unblock: {
    id: 'unblock',
    method: 'DELETE',
    path: `${blocks}/:kind/:who`,
    tag: 'blocks',
    summary: 'Lift a block.',
    access: 'operator',
    params: z.strictObject({ kind, who: z.string().min(1).max(256) }),
    status: 200,
    answer: z.object({ block }),
  },
  switches: {
    id: 'listSwitches',
    method: 'GET',
    path: '/api/console/switches',
    tag: 'switches',
    summary: 'The kill switches: what the gateways may stop serving under load.',
    access: 'viewer',
    status: 200,
    answer: z.object({ switches: z.array(oneSwitch) }),
  },
  throwSwitch: {
    id: 'throwSwitch',
    method: 'PUT',
    path: '/api/console/switches/:name',
    tag: 'switches',
    summary: 'Set a switch by hand, or return it to auto.',
    access: 'operator',
    params: z.strictObject({ name: switchName }),
    body: z.strictObject({ position, reason: reason.optional(), forMs }),
    status: 200,
    answer: oneSwitch,
  },
  actions: {
    id: 'listActions',
    method: 'GET',
    path: '/api/console/actions',
    tag: 'audit log',
    summary: 'The audit log: which operator did what, latest first.',
    access: 'viewer',
    query: actionQuery,
    status: 200,
    answer: z.object({ actions: z.array(action), next: z.string().optional() }),
  },
  gateways: {
    id: 'listGateways',
    method: 'GET',
    path: '/api/console/gateways',
    tag: 'system',
    summary: 'The gateways with a current heartbeat.',
    access: 'viewer',
    status: 200,
    answer: z.object({ gateways: z.array(gateway) }),
  },
  system: {
    id: 'showSystem',
    method: 'GET',
    path: '/api/console/system',
    tag: 'system',
    summary: 'Redis, database, queues, workers.',
    access: 'viewer',
    status: 200,
    answer: system,
  },
  openapi: {
    id: 'openapi',
    method: 'GET',
    path: '/api/console/openapi.json',
    tag: 'system',
    summary: 'This document.',
    access: 'viewer',
    status: 200,
    answer: z.record(z.string(), z.unknown()),
  },
} satisfies Record<string, Endpoint>;
