import type { Block } from '../../store/blocks.ts';
import type { HeldSwitch, SwitchName } from '../../store/killSwitches.ts';
import { blockCaller, liftCallerBlock, listBlocks } from '../../operator/block.ts';
import { letGoOfSwitch, listSwitches, throwSwitch } from '../../operator/switch.ts';
import { iso } from '../../rain/figures.ts';
import { callersApi } from '../contract/callers.ts';
import { declinedFor, route, type Route } from './route.ts';

export const callerRoutes: readonly Route[] = [
  route(callersApi.blocks, async ({ context }) => ({ answer: { blocks: (await listBlocks(context)).map(blockAnswer) } })),

  route(callersApi.block, async ({ context, body: { kind, who, reason, forMs } }) => {
    const done = await blockCaller(context, kind, who, { reason, ...(forMs !== undefined && { forMs }) });
    return done.ok ? { answer: { block: blockAnswer(done.block) } } : declinedFor(done.refusals);
  }),

  route(callersApi.unblock, async ({ context, params: { kind, who } }) => {
    const done = await liftCallerBlock(context, kind, who);
    return done.ok ? { answer: { block: blockAnswer(done.block) } } : declinedFor(done.refusals);
  }),

  route(callersApi.switches, async ({ context }) => ({ answer: { switches: (await listSwitches(context)).map(switchAnswer) } })),

  route(callersApi.throwSwitch, async ({ context, params: { name }, body: { position, reason, forMs } }) => {
    if (position === 'auto') {
      await letGoOfSwitch(context, name);
      return { answer: switchAnswer({ name }) };
    }
    const done = await throwSwitch(context, name, position, { reason: reason ?? 'at the console', ...(forMs !== undefined && { forMs }) });
    return done.ok ? { answer: switchAnswer({ name, held: done.held }) } : declinedFor(done.refusals);
  }),
];

function blockAnswer({ since, until, ...plain }: Block) {
  return { ...plain, since: iso(since), ...(until !== undefined && { until: iso(until) }) };
}

function switchAnswer({ name, held }: { name: SwitchName; held?: HeldSwitch }) {
  if (!held) return { name, position: 'auto' as const };
  const { position, reason, actor, since, until } = held;
  return { name, position, held: { position, reason, actor, since: iso(since), ...(until !== undefined && { until: iso(until) }) } };
}
