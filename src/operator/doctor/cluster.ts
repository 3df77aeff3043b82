import type { Cluster } from 'ioredis';
import { liveRains } from '../../store/rains.ts';
import { liveSales } from '../../store/sales.ts';
import { shardKeys } from '../../store/keys.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import type { Durability } from '../../platform/redis/durability.ts';
import { unlessRefused } from '../../platform/redis/facts.ts';
import { isUnavailable } from '../../platform/redis/unavailable.ts';
import { mastersOf, nodesOf, slotOf } from '../../platform/redis/owner.ts';
import { findOnRedis, named, unknownSetting, type Finding } from './finding.ts';

/** Longer, and a master that is gone refuses its users for longer, ms. */
const NODE_TIMEOUT_MS_MAX = 5_000;

/** Faults that only a Redis Cluster can have. Each finding about one server names it. */
export async function examineCluster(redis: Cluster, durability: Durability): Promise<Finding[]> {
  const live = await liveSlots(redis);
  const settings = await Promise.all(
    nodesOf(redis).map(async ({ name, connection }) => {
      const reply = await unlessRefused(connection.config('GET', 'cluster-*')).catch(unlessUnavailable);
      return checkSettings(reply, durability).map((finding) => at(name, finding));
    }),
  );
  const empty = new Map<string, Finding>();
  const masters = await Promise.all(
    mastersOf(redis).map(async ({ name, connection }) => {
      const view = parseNodes(String(await unlessRefused(connection.call('CLUSTER', 'NODES'))));
      for (const master of view?.empty ?? [])
        empty.set(master.address, at(master.address, checkEmpty(master.replicas, durability)));
      return [checkAllReplicas(view, durability), checkMigrating(view, live)].flatMap((finding) =>
        finding ? [at(name, finding)] : [],
      );
    }),
  );
  return [await checkState(redis), ...settings.flat(), ...masters.flat(), ...empty.values()];
}

const at = (node: string, finding: Finding): Finding => ({ ...finding, name: `${finding.name} (${node})` });

/** A replica that is down is known to its master, too. */
function unlessUnavailable(error: unknown): undefined {
  if (!isUnavailable(error)) throw error;
}

async function checkState(redis: Cluster): Promise<Finding> {
  const expected = 'cluster_state:ok, all slots served';
  const info = await unlessRefused(redis.cluster('INFO'));
  if (info === undefined) return unknownSetting('cluster', expected);
  const of = (name: string) => new RegExp(`${name}:(\\S+)`).exec(String(info))?.[1];
  const well = of('cluster_state') === 'ok' && of('cluster_slots_ok') === '16384';
  return findOnRedis(
    'cluster',
    well ? 'ok' : 'wrong',
    `cluster_state:${of('cluster_state')}, ${of('cluster_slots_ok')} slots of 16384`,
    expected,
    'repair it: redis-cli --cluster check',
  );
}

/**
 * Checks a replica as well: it may be the next master.
 * @param reply the answer to CONFIG GET, or a substitute for it when it is refused
 */
function checkSettings(reply: unknown, durability: Durability): Finding[] {
  const words = Array.isArray(reply) ? reply.map(String) : [];
  const check = (
    name: string,
    expected: string,
    isWell: (found: string) => boolean,
    otherwise: 'warning' | 'wrong',
    why: string,
  ) => {
    const index = words.findIndex((word, i) => i % 2 === 0 && word === name);
    const found = index < 0 ? undefined : words[index + 1];
    if (found === undefined) return unknownSetting(name, expected);
    return findOnRedis(
      name,
      isWell(found) ? 'ok' : otherwise,
      found,
      expected,
      `set ${name} ${expected.replace(/ .*/, '')} in Redis: ${why}`,
    );
  };
  const isNo = (found: string) => found === 'no';
  return [
    check(
      'cluster-allow-replica-migration',
      'no',
      isNo,
      durability.mode === 'replicas' ? 'wrong' : 'warning',
      'a replica that another master takes no longer has what this one told',
    ),
    check(
      'cluster-require-full-coverage',
      'no',
      isNo,
      'warning',
      'otherwise one master that is gone refuses the users of all',
    ),
    check(
      'cluster-node-timeout',
      `${NODE_TIMEOUT_MS_MAX} ms at most`,
      (found) => Number(found) <= NODE_TIMEOUT_MS_MAX,
      'warning',
      'for so long the users of a master that is gone are refused',
    ),
  ];
}

interface NodeView {
  /** All replicas of this master that the Cluster knows, also those that are not connected now. */
  replicas: string[];
  /** Slots that are on their way from or to this server. */
  migrating: number[];
  /** The masters without a slot, with their replicas: no client is told of them, so they are asked for nothing. */
  empty: { address: string; replicas: string[] }[];
}

/** Where the slots begin in a line of CLUSTER NODES. */
const SLOTS_FROM = 8;

/** Parses CLUSTER NODES of one server; `undefined` if it does not say which line is its own. */
function parseNodes(text: string): NodeView | undefined {
  const lines = text.split('\n').map((line) => line.trim().split(' '));
  const own = lines.find(([, , flags]) => flags?.split(',').includes('myself'));
  if (!own) return undefined;
  const addressOf = (line: string[]) => line[1]!.replace(/@.*/, '');
  const replicasOf = (id: string | undefined) =>
    lines.filter(([, , flags, master]) => flags?.split(',').includes('slave') && master === id).map(addressOf);
  const migrating = own.flatMap((word) => /^\[(\d+)-[<>]-/.exec(word)?.[1] ?? []);
  const empty = lines.filter(
    (line) =>
      /(^|,)master(,|$)/.test(line[2] ?? '') && !/fail|noaddr|handshake/.test(line[2]!) && line.length === SLOTS_FROM,
  );
  return {
    replicas: replicasOf(own[0]),
    migrating: migrating.map(Number),
    empty: empty.map((line) => ({ address: addressOf(line), replicas: replicasOf(line[0]) })),
  };
}

/**
 * With fewer than all, a replica that lacks a told win may be promoted. `checkReplicas` says whether there are enough.
 */
function checkAllReplicas(view: NodeView | undefined, durability: Durability): Finding | undefined {
  if (durability.mode !== 'replicas') return undefined;
  const expected = `${durability.replicas}, as many as DURABILITY waits for`;
  if (!view) return unknownSetting('all its replicas', expected);
  const count = view.replicas.length;
  return findOnRedis(
    'all its replicas',
    count === durability.replicas ? 'ok' : 'wrong',
    count === 0 ? 'none' : `${count}: ${named(view.replicas)}`,
    expected,
    count > durability.replicas
      ? `set DURABILITY=replicas=${count}, or take a replica away: any of them may be promoted`
      : 'give each master as many replicas, or require fewer in DURABILITY',
  );
}

/** A new master, before slots are moved to it; or one that has handed all of them over. */
function checkEmpty(replicas: readonly string[], durability: Durability): Finding {
  const needed = durability.mode === 'replicas' ? durability.replicas : 0;
  const found = replicas.length === 0 ? 'no replica' : `${replicas.length}: ${named(replicas)}`;
  return findOnRedis(
    'a master without slots',
    replicas.length === needed || needed === 0 ? 'ok' : 'warning',
    found,
    needed === 0 ? 'any number of replicas' : `${needed}, as many as DURABILITY waits for`,
    'give it as many replicas before you move slots to it; its settings are checked once it has slots',
  );
}

/** While a slot is on its way, Redis refuses scripts of which some keys are here and some there. */
function checkMigrating(view: NodeView | undefined, live: ReadonlyMap<number, string[]>): Finding {
  const expected = 'none with a live rain or sale';
  if (!view) return unknownSetting('slots on their way', expected);
  const met = view.migrating.flatMap((slot) => (live.get(slot) ?? []).map((what) => `${slot} with ${what}`));
  const others = view.migrating.length > 0 ? `${view.migrating.length}, without a live rain or sale` : 'none';
  return findOnRedis(
    'slots on their way',
    met.length > 0 ? 'wrong' : 'ok',
    met.length > 0 ? named(met) : others,
    expected,
    'finish the move before a rain (redis-cli --cluster fix), and move no slot of a live one',
  );
}

/** The live rains and sales in each slot. */
async function liveSlots(redis: Cluster): Promise<Map<number, string[]>> {
  const slots = new Map<number, string[]>();
  const add = (key: string, what: string) => {
    const slot = slotOf(redis, key);
    slots.set(slot, [...(slots.get(slot) ?? []), what]);
  };
  for (const [rainId, { shards }] of await liveRains(redis))
    for (let shard = 0; shard < shards; shard++)
      add(shardKeys(rainId, shard).state, `shard ${shard} of rain ${rainId}`);
  for (const saleId of (await liveSales(redis)).keys()) add(saleKeys(saleId).state, `sale ${saleId}`);
  return slots;
}
