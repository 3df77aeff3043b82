import { redisNow } from '../store/rains.ts';
import {
  holdSwitch,
  releaseSwitch,
  readSwitches,
  SWITCHES,
  type HeldSwitch,
  type SwitchName,
} from '../store/killSwitches.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { readReason } from './wording.ts';

const MONTH_MS = 31 * 24 * 3_600_000;

type Switched = { ok: true; held: HeldSwitch } | Refused;

/**
 * On every gateway, within a second: `off` disables, `on` keeps enabled under any load. `forMs` absent: until it is
 * released.
 */
export async function throwSwitch(
  context: OperatorContext,
  name: SwitchName,
  position: HeldSwitch['position'],
  { reason: why, forMs }: { reason: string; forMs?: number },
): Promise<Switched> {
  const given = readReason(why);
  if (!given.ok) return given;
  if (forMs !== undefined && !(Number.isInteger(forMs) && forMs >= 1_000 && forMs <= MONTH_MS))
    return refuse('for', 'expected 1s to 31d');
  const since = await redisNow(context.redis);
  const held: HeldSwitch = {
    name,
    position,
    reason: given.reason,
    actor: context.actor,
    since,
    ...(forMs !== undefined && { until: since + forMs }),
  };
  // Record first: there must be no held switch without a record of the operator and the reason.
  await context.ledger.record({
    actor: context.actor,
    verb: 'switch',
    details: { name, position, reason: held.reason, ...(held.until !== undefined && { until: held.until }) },
  });
  await holdSwitch(context.redis, held);
  return { ok: true, held };
}

/** Releases a switch: each gateway decides by itself again. Harmless when nobody holds it. */
export async function letGoOfSwitch(context: OperatorContext, name: SwitchName): Promise<void> {
  await context.ledger.record({ actor: context.actor, verb: 'switch', details: { name, position: 'auto' } });
  await releaseSwitch(context.redis, name);
}

/** All switches, in the order in which gateways turn them off. Without `held` the gateways decide by themselves. */
export async function listSwitches({
  redis,
}: Pick<OperatorContext, 'redis'>): Promise<{ name: SwitchName; held?: HeldSwitch }[]> {
  const [now, switches] = [await redisNow(redis), await readSwitches(redis)];
  return SWITCHES.map((name) => {
    const held = switches.find((entry) => entry.name === name && (entry.until ?? Infinity) > now);
    return { name, ...(held && { held }) };
  });
}
