import { parseClaim, type Claim } from '../../src/rain/claim.ts';
import { formatMoney } from '../../src/rain/money.ts';
import type { Act } from './act.ts';
import type { Scene } from './scene.ts';

/** So long no relay carries the victim's claim, ms: longer than a gateway takes to look again. */
const KEPT_MS = 10_000;

/** A claim of the log. */
type Taken = Claim & { mac?: string | undefined };

/** Takes the win of a user who was told of it out of Redis, before a relay has carried it. */
async function takeOut({ redis, keys, rainId, thief, users }: Scene): Promise<Taken> {
  await redis.set(keys.lease, thief, 'PX', KEPT_MS);
  await users.grab([`${rainId}-taken`]);
  const parsed = parseClaim((await redis.lpop(keys.claims))!);
  if (!parsed.ok || parsed.claim.userId !== `${rainId}-taken`) throw new Error(`${rainId}: another claim was the last`);
  await redis.hdel(keys.claimed, parsed.claim.userId);
  return parsed.claim;
}

const packetOf = ({ redPacketId, amount, mac }: Taken) => JSON.stringify({ redPacketId, amount, mac });

/** Puts its packet back where nobody gets it for now, so that everything adds up. */
async function takeOutUnseen(scene: Scene): Promise<Taken> {
  const taken = await takeOut(scene);
  await scene.redis.lpush(scene.keys.packets, packetOf(taken));
  return taken;
}

/** The entry of the first winner. */
const firstEntry = async ({ redis, keys }: Scene) => (await redis.lindex(keys.claims, -1))!;

/** Whether everybody is paid who was told of a win. */
async function isEverybodyPaid({ ledger, rainId, users }: Scene): Promise<boolean> {
  for (const [userId, told] of users.told) {
    const credit = await ledger.creditOf(rainId, userId);
    if (told.some((win) => credit?.redPacketId !== win.redPacketId || formatMoney(credit.amountCents) !== win.amount))
      return false;
  }
  return users.told.size > 0;
}

const WIN_ACTS: readonly Omit<Act, 'store'>[] = [
  {
    name: 'a told win taken out before it is carried, and its packet put back for the next user',
    strike: async (scene) => scene.redis.rpush(scene.keys.packets, packetOf(await takeOut(scene))),
  },
  {
    name: 'a told win taken out before it is carried, and its packet put back for the last user',
    strike: takeOutUnseen,
    healed: isEverybodyPaid,
  },
  {
    name: 'a told win taken out, and marked as restored',
    async strike(scene) {
      const { redPacketId, userId } = await takeOutUnseen(scene);
      const told = [...scene.users.told.values()][0]![0]!;
      const mark = `${redPacketId}\n${userId}`;
      await scene.redis.sadd(scene.keys.restored, mark, `${mark}\n${told.receipt}`);
    },
    healed: isEverybodyPaid,
  },
  {
    name: "a told win taken out, and another winner's entry put in its place",
    async strike(scene) {
      const { userId } = await takeOutUnseen(scene);
      await scene.redis.hset(scene.keys.claimed, userId, await firstEntry(scene));
    },
    healed: isEverybodyPaid,
  },
  {
    name: 'a told win taken out of a rain that is made settled, and its place among the lost wins taken',
    async strike(scene) {
      const { redis, keys } = scene;
      const { redPacketId, userId } = await takeOutUnseen(scene);
      const forged = { redPacketId, amount: '9.00', at: 1, receipt: 'A'.repeat(22) };
      await redis.hset(keys.told, userId, JSON.stringify(forged), JSON.stringify({ userId, ...forged }), '1');
      await redis.hset(keys.state, 'state', 'settled');
    },
    // The rain is settled early; its lost win is among those that an operator writes off.
    healed: async ({ rain, rainId }) => (await rain('restore', 'check', rainId, '--json')).includes(`${rainId}-taken`),
  },
  {
    name: "a winner's entry copied under another name",
    async strike(scene) {
      const copier = `${scene.rainId}-copier`;
      await scene.redis.hset(scene.keys.claimed, copier, await firstEntry(scene));
      await scene.users.grab([copier]);
    },
  },
  {
    name: 'another rain named in the state',
    strike: ({ redis, keys }) => redis.hset(keys.state, 'rainId', 'another-rain'),
    healed: isEverybodyPaid,
  },
];

export const TAKEN_ACTS: readonly Act[] = WIN_ACTS.map((act) => ({ ...act, store: 'redis' }));
