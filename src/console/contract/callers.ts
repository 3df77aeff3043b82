import { z } from 'zod';
import { switchName } from '../../store/killSwitches.ts';
import { endpoint } from './endpoint.ts';
import { forMs, reason, time } from './fields.ts';

const kind = z.enum(['user', 'address'], 'expected user or address');
const block = z.object({ kind, who: z.string(), reason: z.string(), actor: z.string(), since: time, until: time.optional() });

const blocks = '/api/console/blocks';
const position = z.enum(['on', 'off', 'auto'], 'expected on, off or auto');
const oneSwitch = z.object({
  name: switchName, position: position.describe('auto: each gateway decides itself.'),
  held: z.object({ position: z.enum(['on', 'off']), reason: z.string(), actor: z.string(), since: time, until: time.optional() }).optional(),
});

/** Blocks of users and addresses, and the kill switches of the gateways. */
export const callersApi = {
  blocks: endpoint({ id: 'listBlocks', method: 'GET', path: blocks, tag: 'blocks', summary: 'The active blocks, latest first.', access: 'viewer', status: 200, answer: z.object({ blocks: z.array(block) }) }),
  block: endpoint({
    id: 'block', method: 'POST', path: blocks, tag: 'blocks', summary: 'Block a user or an address. Moves no money.', access: 'operator',
    body: z.strictObject({ kind, who: z.string('expected a user, an address or a network').max(256), reason, forMs }), status: 201, answer: z.object({ block }),
  }),
  unblock: endpoint({
    id: 'unblock', method: 'DELETE', path: `${blocks}/:kind/:who`, tag: 'blocks', summary: 'Lift a block.', access: 'operator', params: z.strictObject({ kind, who: z.string().min(1).max(256) }), status: 200, answer: z.object({ block }),
  }),
  switches: endpoint({ id: 'listSwitches', method: 'GET', path: '/api/console/switches', tag: 'switches', summary: 'The kill switches: what the gateways may stop serving under load.', access: 'viewer', status: 200, answer: z.object({ switches: z.array(oneSwitch) }) }),
  throwSwitch: endpoint({
    id: 'throwSwitch', method: 'PUT', path: '/api/console/switches/:name', tag: 'switches', summary: 'Set a switch by hand, or return it to auto.', access: 'operator', params: z.strictObject({ name: switchName }),
    body: z.strictObject({ position, reason: reason.optional(), forMs }), status: 200, answer: oneSwitch,
  }),
};
