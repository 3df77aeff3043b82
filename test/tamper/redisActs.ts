import { deadLetterId } from '../../src/credit/deadLetter.ts';
import { LIVE_RAINS_KEY, QUEUE_PREFIX } from '../../src/store/keys.ts';
import type { Act } from './act.ts';
import type { Scene } from './scene.ts';

const NEVER_MADE = '9999';
const element = (redPacketId: string, amount: string) => JSON.stringify({ redPacketId, amount });

/** The packet that is handed out next, with its element as it lies in the list. */
async function nextElement({ redis, keys }: Scene): Promise<{ redPacketId: string; amount: string }> {
  return JSON.parse((await redis.lindex(keys.packets, -1))!) as { redPacketId: string; amount: string };
}

/** The user of the first claim in the log. */
async function firstWinner({ redis, keys }: Scene): Promise<{ userId: string; redPacketId: string }> {
  return JSON.parse((await redis.lindex(keys.claims, -1))!) as { userId: string; redPacketId: string };
}

const log = ({ redis, keys }: Scene, claim: unknown) => redis.lpush(keys.claims, JSON.stringify(claim));

export const REDIS_ACTS: readonly Act[] = [
  {
    name: 'a log entry for a packet that was never made',
    store: 'redis',
    strike: (scene) => log(scene, scene.claim(`${scene.rainId}-${NEVER_MADE}`, '50.00')),
  },
  {
    name: 'a log entry for a real packet with another amount',
    store: 'redis',
    strike: async (scene) => log(scene, scene.claim(await scene.freePacket(), '120.00')),
  },
  {
    name: 'ten raised log entries that would use up the budget',
    store: 'redis',
    async strike(scene) {
      const free = await scene.redis.lrange(scene.keys.packets, 0, 9);
      for (const [i, text] of free.entries()) {
        await log(
          scene,
          scene.claim((JSON.parse(text) as { redPacketId: string }).redPacketId, '9.00', `${scene.thief}-${i}`),
        );
      }
    },
  },
  {
    name: 'a log entry that is no claim',
    store: 'redis',
    strike: (scene) => scene.redis.lpush(scene.keys.claims, 'not a claim'),
  },
  {
    name: 'a log entry of another rain',
    store: 'redis',
    strike: async (scene) => log(scene, { ...scene.claim(await scene.freePacket(), '1.00'), rainId: 'another-rain' }),
  },
  {
    name: 'a log entry for a real packet that still lies in the list',
    store: 'redis',
    handsOut: true,
    async strike(scene) {
      const { redPacketId, amount } = await nextElement(scene);
      await log(scene, scene.claim(redPacketId, amount));
    },
  },
  {
    name: 'a second claim to the packet of a winner',
    store: 'redis',
    async strike(scene) {
      const { redPacketId } = await firstWinner(scene);
      await log(scene, scene.claim(redPacketId, scene.planned.get(redPacketId)!));
    },
  },
  {
    name: 'a made-up packet in the list',
    store: 'redis',
    strike: (scene) => scene.redis.rpush(scene.keys.packets, element(`${scene.rainId}-${NEVER_MADE}`, '50.00')),
  },
  {
    name: 'a raised packet in the list',
    store: 'redis',
    async strike(scene) {
      const next = await nextElement(scene);
      await scene.redis.lset(scene.keys.packets, -1, JSON.stringify({ ...next, amount: '120.00' }));
    },
  },
  {
    name: 'a made-up packet in the list with the mark of a real one',
    store: 'redis',
    async strike(scene) {
      const next = await nextElement(scene);
      await scene.redis.rpush(
        scene.keys.packets,
        JSON.stringify({ ...next, redPacketId: `${scene.rainId}-${NEVER_MADE}` }),
      );
    },
  },
  {
    name: 'a packet that was won, in the list once more',
    store: 'redis',
    async strike(scene) {
      const { redPacketId } = await firstWinner(scene);
      const { mac } = JSON.parse((await scene.redis.lindex(scene.keys.claims, -1))!) as { mac?: string };
      await scene.redis.rpush(
        scene.keys.packets,
        JSON.stringify({ redPacketId, amount: scene.planned.get(redPacketId), mac }),
      );
    },
  },
  {
    name: 'all packets taken from the list',
    store: 'redis',
    strike: ({ redis, keys }) => redis.del(keys.packets),
  },
  {
    name: "a winner's entry in the dedupe hash deleted",
    store: 'redis',
    async strike(scene) {
      const { userId } = await firstWinner(scene);
      await scene.redis.hdel(scene.keys.claimed, userId);
      await scene.users.grab([userId]);
    },
  },
  {
    name: 'a made-up win in the dedupe hash',
    store: 'redis',
    async strike(scene) {
      const victim = `${scene.rainId}-joiner`;
      await scene.redis.hset(
        scene.keys.claimed,
        victim,
        JSON.stringify(scene.claim(`${scene.rainId}-${NEVER_MADE}`, '50.00', victim)),
      );
      await scene.users.grab([victim]);
    },
  },
  {
    name: 'the claim log cut short',
    store: 'redis',
    strike: ({ redis, keys }) => redis.ltrim(keys.claims, 2, -1),
  },
  {
    name: 'the opening moved ten minutes early',
    store: 'redis',
    opensInMs: 600_000,
    strike: ({ redis, keys }) => redis.hset(keys.state, 'opensAt', Date.now() - 1_000),
  },
  {
    name: 'the end moved an hour away',
    store: 'redis',
    strike: ({ redis, keys }) => redis.hincrby(keys.state, 'closesAt', 3_600_000),
  },
  {
    name: 'a rain that was closed is opened again',
    store: 'redis',
    async strike(scene) {
      await scene.rain('close', scene.rainId);
      await scene.redis.hset(scene.keys.state, 'state', 'loaded');
    },
    healed: async ({ redis, keys }) => ['closed', 'settled'].includes((await redis.hget(keys.state, 'state')) ?? ''),
  },
  {
    name: 'the cursor of the relay set to a word',
    store: 'redis',
    strike: ({ redis, keys }) => redis.set(keys.relayed, 'nowhere'),
    healed: async ({ redis, keys }) => /^\d+$/.test((await redis.get(keys.relayed)) ?? ''),
  },
  {
    name: 'the state of the rain deleted',
    store: 'redis',
    strike: ({ redis, keys }) => redis.del(keys.state),
  },
  {
    name: 'more packets planned than the ledger knows',
    store: 'redis',
    async strike({ redis, keys, rainId }) {
      await redis.hset(keys.state, 'packets', 60, 'loaded', 60);
      await redis.lpush(keys.packets, ...Array.from({ length: 20 }, (_, i) => element(`${rainId}-${40 + i}`, '1.00')));
    },
  },
  {
    name: 'the commitment replaced',
    store: 'redis',
    strike: ({ redis, keys }) => redis.hset(keys.state, 'commitment', 'f'.repeat(64)),
  },
  {
    name: 'the lease of the relay kept for ever',
    store: 'redis',
    strike: ({ redis, keys }) => redis.set(keys.lease, 'mallory'),
    healed: async ({ redis, keys }) =>
      (await redis.get(keys.lease)) !== 'mallory' &&
      (await redis.get(keys.relayed)) === String(await redis.llen(keys.claims)),
  },
  {
    name: 'the carried claims hidden behind a cursor, and their dead letters forestalled',
    store: 'redis',
    async strike({ redis, keys, rainId, users }) {
      await redis.set(keys.lease, 'mallory', 'PX', 10_000);
      await users.grab([`${rainId}-hidden`]);
      const [entry, length] = [(await redis.lindex(keys.claims, 0))!, await redis.llen(keys.claims)];
      const id = deadLetterId({ rainId, shard: 0, index: length - 1, entry });
      await redis.hset(
        `${QUEUE_PREFIX}:credit-dead:${id}`,
        'name',
        'refused',
        'data',
        JSON.stringify({ rainId, shard: 0, index: length - 1, entry, reason: 'refused', detail: '' }),
        'opts',
        '{}',
        'timestamp',
        '1',
      );
      await redis.set(keys.relayed, String(length));
      await redis.del(keys.lease);
    },
    // Found by nobody, since everybody is paid: redelivery has sent the claim again.
    healed: async ({ redis, keys }) => (await redis.scard(keys.credited)) === (await redis.llen(keys.claims)),
  },
  {
    name: 'another title in the index',
    store: 'redis',
    strike: ({ redis, rainId }) =>
      redis.hset(LIVE_RAINS_KEY, rainId, '{"shards":1,"title":"All prizes are at example.org"}'),
  },
  {
    name: 'the rain taken from the index',
    store: 'redis',
    strike: ({ redis, rainId }) => redis.hdel(LIVE_RAINS_KEY, rainId),
  },
];
