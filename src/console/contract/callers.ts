import { z } from 'zod';
import { switchName } from '../../store/killSwitches.ts';
import { endpoint } from './endpoint.ts';
import { forMs, reason, time } from './fields.ts';

const kind = z.enum(['user', 'address'], 'expected user or address');
const block = z.object({ kind, who: z.string(), reason: z.string(), actor: z.string(), since: time, until: time.optional() });

const blocks = '/api/console/blocks';
const position = z.enum(['on', 'off', 'auto'], 'expected on, off or auto');
const oneSwitch = z.object({
  name: switchName, position: position.describe('auto: every gateway decides by itself.'),
  held: z.object({ position: z.enum(['on', 'off']), reason: z.string(), actor: z.string(), since: time, until: time.optional() }).optional(),
});

/** Who is kept out, and what the gateways give up. */
export const callersApi = {
  blocks: endpoint({ id: 'listBlocks', method: 'GET', path: blocks, tag: 'blocks', summary: 'The blocks in force, the latest first.', who: 'viewer', status: 200, answer: z.object({ blocks: z.array(block) }) }),
  block: endpoint({
    id: 'block', method: 'POST', path: blocks, tag: 'blocks', summary: 'Keep a user or an address away; touches no money.', who: 'operator',
    body: z.strictObject({ kind, who: z.string('expected a user, an address or a network').max(256), reason, forMs }), status: 201, answer: z.object({ block }),
  }),
  unblock: endpoint({
    id: 'unblock', method: 'DELETE', path: `${blocks}/:kind/:who`, tag: 'blocks', summary: 'Let them in again.', who: 'operator', params: z.strictObject({ kind, who: z.string().min(1).max(256) }), status: 200, answer: z.object({ block }),
  }),
  switches: endpoint({ id: 'listSwitches', method: 'GET', path: '/api/console/switches', tag: 'switches', summary: 'What the gateways may give up under load.', who: 'viewer', status: 200, answer: z.object({ switches: z.array(oneSwitch) }) }),
  throwSwitch: endpoint({
    id: 'throwSwitch', method: 'PUT', path: '/api/console/switches/:name', tag: 'switches', summary: 'Hold a switch, or let go of it.', who: 'operator', params: z.strictObject({ name: switchName }),
    body: z.strictObject({ position, reason: reason.optional(), forMs }), status: 200, answer: oneSwitch,
  }),
};
