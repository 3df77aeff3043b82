import type { Block } from '../../grab/blocks.ts';
import type { HeldSwitch, SwitchName } from '../../grab/switches.ts';
import { blockCaller, liftCallerBlock, listBlocks } from '../../operator/block.ts';
import { letGoOfSwitch, listSwitches, throwSwitch } from '../../operator/switch.ts';
import { iso } from '../../rain/figures.ts';
import { callersApi } from '../contract/callers.ts';
import { declinedFor, route, type Route } from './route.ts';

export const callerRoutes: readonly Route[] = [
  route(callersApi.blocks, async ({ desk }) => ({ answer: { blocks: (await listBlocks(desk)).map(toldBlock) } })),

  route(callersApi.block, async ({ desk, body: { kind, who, reason, forMs } }) => {
    const done = await blockCaller(desk, kind, who, { reason, ...(forMs !== undefined && { forMs }) });
    return done.ok ? { answer: { block: toldBlock(done.block) } } : declinedFor(done.refusals);
  }),

  route(callersApi.unblock, async ({ desk, params: { kind, who } }) => {
    const done = await liftCallerBlock(desk, kind, who);
    return done.ok ? { answer: { block: toldBlock(done.block) } } : declinedFor(done.refusals);
  }),

  route(callersApi.switches, async ({ desk }) => ({ answer: { switches: (await listSwitches(desk)).map(toldSwitch) } })),

  route(callersApi.throwSwitch, async ({ desk, params: { name }, body: { position, reason, forMs } }) => {
    if (position === 'auto') {
      await letGoOfSwitch(desk, name);
      return { answer: toldSwitch({ name }) };
    }
    const done = await throwSwitch(desk, name, position, { reason: reason ?? 'at the desk', ...(forMs !== undefined && { forMs }) });
    return done.ok ? { answer: toldSwitch({ name, held: done.held }) } : declinedFor(done.refusals);
  }),
];

function toldBlock({ since, until, ...plain }: Block) {
  return { ...plain, since: iso(since), ...(until !== undefined && { until: iso(until) }) };
}

function toldSwitch({ name, held }: { name: SwitchName; held?: HeldSwitch }) {
  if (!held) return { name, position: 'auto' as const };
  const { position, reason, actor, since, until } = held;
  return { name, position, held: { position, reason, actor, since: iso(since), ...(until !== undefined && { until: iso(until) }) } };
}
