import type { RedisClient } from '../../src/platform/redis/connect.ts';
import type { Mutant } from './mutants.ts';
import { seededRandom } from './random.ts';
import type { Fate } from './scheduler.ts';
import { openStage, userOf, type Findings } from './stage.ts';

/** The actors' actions, each in a shard, with its outcome. */
type Line = readonly [actor: string, what: string, shard: number, fate?: Fate];

interface Directed {
  name: string;
  lines: readonly Line[];
}

const look = (actor: string): Line[] => [0, 1, 2].map((shard) => [actor, 'remaining', shard]);
/** Bob's gateway takes the only packet off shard 2 for him. */
const lent: readonly Line[] = [['b', 'grab', 0], ...look('b'), ['b', 'lend', 2]];

/**
 * Orders that chance does not find, or seldom. The one packet lies in shard 2; bob waits in shard 0, and ann in shard
 * 1. Bob's gateway is b, and c after its death; ann's is a.
 */
export const DIRECTED: readonly Directed[] = [
  {
    name: 'a packet is on its way, and who sent it is dead',
    lines: [...lent, ['b', 'receive', 0, 'dies_before'], ['a', 'grab', 1], ...look('a'), ...look('a')],
  },
  {
    name: 'a packet passes behind somebody who looks',
    lines: [
      ...lent,
      ['b', 'receive', 0, 'dies_before'],
      ['a', 'grab', 1],
      ['a', 'remaining', 0],
      ['c', 'grab', 0],
      ...look('c'),
      ['c', 'hexists', 2],
      ['c', 'receive', 0],
      ['c', 'arrived', 2],
      ['a', 'remaining', 1],
      ['a', 'remaining', 2],
    ],
  },
  {
    name: 'a packet has not arrived, and who brings it dies',
    lines: [...lent, ['b', 'arrived', 2], ['b', 'receive', 0, 'dies_before']],
  },
  {
    name: 'a packet has arrived, and who brought it dies before that is noted',
    lines: [...lent, ['b', 'receive', 0, 'dies_after'], ['a', 'grab', 1], ...look('a')],
  },
  { name: 'a packet has arrived, and the answer is lost', lines: [...lent, ['b', 'receive', 0, 'reply_lost']] },
];

/**
 * Plays these lines, leaving out what nobody is about to do, and then everything else in the order in which it was
 * asked for.
 */
export async function direct(redis: RedisClient, { lines }: Directed, mutant?: Mutant): Promise<Findings> {
  const shards = 3;
  const stage = await openStage(redis, {
    rainId: 'directed',
    shards,
    packets: shards,
    random: seededRandom(1),
    durability: 'one_server',
    mutant,
  });
  const { scheduler } = stage;
  const [a, b, c, first] = ['a', 'b', 'c', 'first'].map((name) => stage.openGateway(name)) as [
    Gateway,
    Gateway,
    Gateway,
    Gateway,
  ];
  let open = 0;
  const begin = (user: string, choose: () => Gateway) => {
    open++;
    void stage.ask(user, choose).finally(() => {
      open--;
    });
  };
  async function goOn(choose: () => (typeof scheduler.pending)[number] | undefined, fate: Fate): Promise<void> {
    const step = choose();
    if (step) await stage.carryOut(step, fate);
  }
  const untilDone = async () => {
    while (open > 0) await goOn(() => scheduler.pending[0], 'answered');
  };

  for (const shard of [0, 1]) begin(userOf('first', shards, shard), () => first);
  await untilDone();
  begin(userOf('bob', shards, 0), () => (b.actor.alive ? b : c));
  begin(userOf('ann', shards, 1), () => a);
  for (const [actor, what, shard, fate = 'answered'] of lines)
    await goOn(
      () => scheduler.pending.find((step) => step.actor.name === actor && step.what === what && step.shard === shard),
      fate,
    );
  await untilDone();
  for (let shard = 0; shard < shards; shard++) begin(userOf('late', shards, shard), () => first);
  await untilDone();
  return stage.judge(shards);
}

type Gateway = ReturnType<Awaited<ReturnType<typeof openStage>>['openGateway']>;
