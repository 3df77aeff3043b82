import type { HeldSwitch, SwitchName } from '../../store/killSwitches.ts';
import { readHeartbeats } from '../../store/gatewayHeartbeat.ts';
import type { OperatorContext } from '../../operator/context.ts';
import { blockCaller, liftCallerBlock, listBlocks } from '../../operator/block.ts';
import { letGoOfSwitch, listSwitches, throwSwitch } from '../../operator/switch.ts';
import { readSystem } from '../../operator/system.ts';
import { iso } from '../../rain/figures.ts';
import { systemApi } from '../contract/system.ts';
import { openApi } from '../openapi.ts';
import { declinedFor, route, type Route } from './route.ts';

export const systemRoutes: readonly Route[] = [
  route(systemApi.blocks, async ({ context }) => ({ answer: { blocks: (await listBlocks(context)).map(withTimes) } })),

  route(systemApi.block, async ({ context, body: { kind, who, reason, forMs } }) => {
    const done = await blockCaller(context, kind, who, { reason, forMs });
    return done.ok ? { answer: { block: withTimes(done.block) } } : declinedFor(done.refusals);
  }),

  route(systemApi.unblock, async ({ context, params: { kind, who } }) => {
    const done = await liftCallerBlock(context, kind, who);
    return done.ok ? { answer: { block: withTimes(done.block) } } : declinedFor(done.refusals);
  }),

  route(systemApi.switches, async ({ context }) => ({
    answer: { switches: (await listSwitches(context)).map(switchAnswer) },
  })),

  route(systemApi.throwSwitch, async ({ context, params: { name }, body: { position, reason, forMs } }) => {
    if (position === 'auto') {
      await letGoOfSwitch(context, name);
      return { answer: switchAnswer({ name }) };
    }
    const done = await throwSwitch(context, name, position, { reason: reason ?? 'at the console', forMs });
    return done.ok ? { answer: switchAnswer({ name, held: done.held }) } : declinedFor(done.refusals);
  }),

  route(systemApi.actions, async ({ context, query: { cursor, ...filter } }) => {
    const found = await context.ledger.latestActions({
      ...filter,
      before: cursor === undefined ? undefined : BigInt(cursor),
    });
    const last = found.length === filter.limit ? found.at(-1) : undefined;
    const sales = await salesAmong(
      context,
      found.flatMap(({ rainId: id }) => id ?? []),
    );
    return {
      answer: {
        actions: found.map(({ at, details = {}, ...plain }) => ({
          ...plain,
          ...(plain.rainId !== undefined && sales.has(plain.rainId) && { isSale: true as const }),
          details: { ...details },
          at: iso(at),
        })),
        ...(last && { next: last.id }),
      },
    };
  }),

  route(systemApi.gateways, async ({ context }) => ({
    answer: {
      gateways: (await readHeartbeats(context.redis)).map(({ startedAt, at, ...plain }) => ({
        ...plain,
        startedAt: iso(startedAt),
        at: iso(at),
      })),
    },
  })),

  route(systemApi.system, async ({ context }) => ({ answer: await readSystem(context) })),

  route(systemApi.openapi, async () => ({ answer: openApi() })),
];

/** Actions record the id of a rain or of a sale alike. */
async function salesAmong({ ledger }: Pick<OperatorContext, 'ledger'>, ids: readonly string[]): Promise<Set<string>> {
  const distinct = [...new Set(ids)];
  return new Set(
    distinct.length === 0 ? [] : (await ledger.sales(distinct.length, { ids: distinct })).map(({ id }) => id),
  );
}

function switchAnswer({ name, held }: { name: SwitchName; held?: HeldSwitch }) {
  if (!held) return { name, position: 'auto' as const };
  const { name: _, ...plain } = held;
  return { name, position: held.position, held: withTimes(plain) };
}

function withTimes<T extends { since: number; until?: number }>({ since, until, ...plain }: T) {
  return { ...plain, since: iso(since), ...(until !== undefined && { until: iso(until) }) };
}
