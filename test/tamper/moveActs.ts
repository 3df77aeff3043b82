import { newMoveId, lend } from '../../src/store/moves.ts';
import type { Act } from './act.ts';
import type { Scene } from './scene.ts';

const SHARDS = 2;
const told = async ({ redis, keys }: Scene) => (await redis.hget(keys.state, 'elsewhere')) === String(SHARDS);
const send = ({ redis, keys }: Scene, packets: string, moveId = newMoveId(0, 1)) =>
  redis.hset(keys.sending, moveId, packets);

/** Changes by hand to the parts that move packets between the shards of a rain. */
const ACTS: readonly Omit<Act, 'store' | 'shards'>[] = [
  {
    name: 'a shard that does not know any more of the others',
    strike: ({ redis, keys }) => redis.hdel(keys.state, 'elsewhere'),
    healed: told,
  },
  { name: 'more shards in the state of one', strike: ({ redis, keys }) => redis.hset(keys.state, 'elsewhere', 64) },
  {
    name: 'a word in place of the shards',
    strike: ({ redis, keys }) => redis.hset(keys.state, 'shards', 'x', 'elsewhere', 'x'),
  },
  { name: 'fewer packets announced', strike: ({ redis, keys }) => redis.hset(keys.state, 'total', -1) },
  {
    name: 'counts that are no numbers',
    strike: ({ redis, keys }) => redis.hset(keys.state, 'moves', 'x', 'movedIn', 'y'),
  },
  { name: 'rubbish among the moves', strike: (scene) => send(scene, 'not JSON') },
  { name: 'JSON of another shape', strike: (scene) => send(scene, '{"a":[1,{}]}') },
  { name: 'a move of any size', strike: (scene) => send(scene, JSON.stringify(['x'.repeat(1_000_000)])) },
  { name: 'an id of no move', strike: (scene) => send(scene, '[]', 'mallory') },
  {
    name: 'moves of another type',
    strike: async ({ redis, keys }) => {
      await redis.set(keys.sending, 'x');
      await redis.set(keys.lent, 'x');
    },
  },
  {
    name: 'a move of made-up packets',
    strike: (scene) =>
      send(scene, JSON.stringify([JSON.stringify({ redPacketId: `${scene.rainId}-9999`, amount: '50.00', mac: '' })])),
  },
  {
    name: 'a move of packets that lie in the list',
    strike: async (scene) => send(scene, JSON.stringify(await scene.redis.lrange(scene.keys.packets, 0, 1))),
  },
  {
    name: 'a move taken away on its way',
    strike: async ({ redis, keys, rainId }) => {
      await lend(redis, rainId, newMoveId(0, 1), { wanted: 3, parts: SHARDS });
      await redis.del(keys.sending);
    },
  },
];

export const MOVE_ACTS: readonly Act[] = ACTS.map((act) => ({
  ...act,
  name: `moves: ${act.name}`,
  store: 'redis',
  shards: SHARDS,
}));
