import { loadPackets } from '../../src/store/loadPackets.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { signer } from '../support/signer.ts';
import type { Mutant } from './mutants.ts';
import { seededRandom, type Random } from './random.ts';
import { scheduledRedis, type Actor, type Fate } from './scheduler.ts';
import { NAME_OF_SHA, openStage, userOf, type Findings, type StageOptions } from './stage.ts';

interface Schedule {
  shards: number;
  packets: number;
  users: number;
  gateways: number;
  /** Packets that an operator adds, at some step; 0 for none. */
  topUp: number;
  /** But for `one_server`, shards fail over. */
  durability: StageOptions['durability'];
  /** Shares of 1: how often an actor dies, and how often a command or its reply is lost, at a step. */
  deaths: number;
  losses: number;
}

interface Played extends Findings {
  seed: number;
  calls: number;
  deaths: number;
  failovers: number;
}

/** Steps after which a run is given up as endless. */
const STEPS_MAX = 50_000;
/** How often a shard fails over at a step, of 1, where shards do. */
const FAILOVER = 0.02;

function scheduleOf(random: Random): Schedule {
  const durability = random.pick(['one_server', 'one_server', 'replicas', 'replicas', 'local'] as const);
  return {
    shards: 2 + random.below(6),
    packets: random.below(24),
    users: 1 + random.below(30),
    gateways: 2 + random.below(4),
    topUp: durability === 'one_server' && random.chance(0.5) ? 1 + random.below(8) : 0,
    durability,
    deaths: random.pick([0, 0.03, 0.12]),
    losses: random.pick([0, 0.05]),
  };
}

/**
 * One rain, from the first grab until everybody has an answer, in an order that the seed alone decides.
 * @throws when it does not end
 */
export async function play(redis: RedisClient, seed: number, mutant?: Mutant): Promise<Played> {
  const random = seededRandom(seed);
  const schedule = scheduleOf(random);
  const { shards, packets, topUp } = schedule;
  const rainId = `x${seed}`;
  const stage = await openStage(redis, { rainId, shards, packets, random, durability: schedule.durability, mutant });
  const { scheduler } = stage;
  const counts = { seed, calls: 0, deaths: 0, failovers: 0 };

  async function addPackets(): Promise<void> {
    const own = scheduledRedis(scheduler, { name: OPERATOR, alive: true } satisfies Actor, redis, NAME_OF_SHA);
    const stock = {
      amounts: BigInt64Array.from({ length: packets + topUp }, () => 1n),
      topUps: [{ commitment: '0'.repeat(64), packets: topUp }],
    };
    // A command that is lost on the way is repeated, as an operator does.
    for (;;) {
      const done = await loadPackets(own, signer, rainId, shards, stock, () => {}).catch(() => undefined);
      if (done?.ok) return;
      if (done) throw new Error(`the top-up was refused: ${done.reason}`);
    }
  }

  function fateOf({ name }: Actor): Fate {
    if (name !== OPERATOR && random.chance(schedule.deaths)) return random.pick(['dies_before', 'dies_after']);
    return random.chance(schedule.losses) ? random.pick(['reply_lost', 'not_sent']) : 'answered';
  }

  async function untilDone(tasks: readonly Promise<void>[], isRough: boolean): Promise<void> {
    let open = tasks.length;
    let fault: unknown;
    for (const task of tasks)
      void task
        .catch((error: unknown) => {
          fault = error;
        })
        .finally(() => {
          open--;
        });
    await new Promise(setImmediate);
    for (let steps = 0; open > 0; steps++) {
      if (fault !== undefined) throw fault;
      if (steps > STEPS_MAX || scheduler.pending.length === 0)
        throw new Error(`seed ${seed}: no end after ${steps} steps`);
      const step = random.pick(scheduler.pending);
      if (step.what !== 'rest') counts.calls++;
      if (await stage.carryOut(step, isRough ? fateOf(step.actor) : 'answered')) counts.deaths++;
      if (schedule.durability !== 'one_server' && isRough && random.chance(FAILOVER)) {
        counts.failovers++;
        await stage.failOver(random.below(shards));
      }
    }
    if (fault !== undefined) throw fault;
  }

  for (let i = 0; i < schedule.gateways; i++) stage.openGateway();
  // Most users are of one shard, so that packets lie where nobody waits.
  const crowded = random.below(shards);
  const users = Array.from({ length: schedule.users }, (_, i) =>
    userOf(`u${i}`, shards, random.chance(0.6) ? crowded : random.below(shards)),
  );
  const asking = users.map((user) => stage.ask(user, () => random.pick(stage.living)));
  await untilDone([...asking, ...(topUp > 0 ? [addPackets()] : [])], true);
  // Somebody asks in each shard when all of them are gone: nothing may be left behind.
  stage.closeAll();
  const last = stage.openGateway();
  await untilDone(
    Array.from({ length: shards }, (_, shard) => stage.ask(userOf('late', shards, shard), () => last)),
    false,
  );
  return { ...counts, ...(await stage.judge(packets + topUp)) };
}

const OPERATOR = 'operator';

export function isSound({ falseNo, lost, doubled }: Findings): boolean {
  return falseNo.length + lost.length + doubled.length === 0;
}
