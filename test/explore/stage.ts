import { confirmedEngine, confirmWins, type ConfirmHeld } from '../../src/grab/confirm.ts';
import { createGrabEngine, type GrabAnswer } from '../../src/grab/engine.ts';
import { isOfOneShard, Mover } from '../../src/grab/mover.ts';
import { SCRIPTS } from '../../src/store/scripts.ts';
import { shardOf } from '../../src/store/keys.ts';
import { newMoveId } from '../../src/store/moves.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { stockRain } from '../support/rain.ts';
import { endMoves } from '../../src/store/endMoves.ts';
import { restoreSentWins, type SentWin } from '../../src/grab/restore.ts';
import { signer } from '../support/signer.ts';
import type { Mutant } from './mutants.ts';
import type { Random } from './random.ts';
import { Scheduler, scheduledRedis, shardOfKey, type Actor, type Fate, type Step } from './scheduler.ts';
import { World, type Keeping } from './world.ts';

/** The findings of a run. */
export interface Findings {
  /** Users who were told "nothing left" although at every moment since they had asked a packet was nobody's. */
  falseNo: string[];
  /** Packets that are nowhere, and wins that were told and are not in the log. */
  lost: string[];
  /** Packets in two places, users with two claims, and two answers to one question. */
  doubled: string[];
}

export interface StageOptions {
  rainId: string;
  shards: number;
  /** In each shard; others get none. */
  packets: number;
  random: Random;
  /** Whether wins and moves wait for replicas, and whether shards fail over. */
  durability: 'one_server' | 'replicas' | 'local';
  mutant?: Mutant | undefined;
}

interface Gateway {
  actor: Actor;
  grab: (shard: number, userId: string) => Promise<GrabAnswer>;
  /** Resolves when it has died: its sockets are cut. */
  died: Promise<undefined>;
  die: () => void;
}

const KEEPING: Record<StageOptions['durability'], Keeping> = {
  one_server: 'none',
  replicas: 'unconfirmed',
  local: 'latest',
};

export const NAME_OF_SHA: ReadonlyMap<string, string> = new Map([...SCRIPTS].map(([name, { sha }]) => [sha, name]));
/** How often replicas do not confirm in time, of 1. */
const UNCONFIRMED = 0.1;

/**
 * One rain on a real Redis, gateways with the product's own path of a grab, and users who ask until they have an
 * answer.
 */
export async function openStage(
  redis: RedisClient,
  { rainId, shards, packets, random, durability, mutant }: StageOptions,
) {
  await redis.flushall();
  await stockRain(redis, { rainId, amounts: Array.from({ length: packets }, () => '0.01'), shards });
  const world = new World(redis, rainId, shards, KEEPING[durability]);
  await world.begin();
  const scheduler = new Scheduler();
  const gateways: Gateway[] = [];
  const refused: { user: string; from: number; to: number }[] = [];
  const won = new Map<string, SentWin>();
  const twice: string[] = [];

  function openGateway(name = `gateway ${gateways.length}`): Gateway {
    const actor: Actor = { name, alive: true };
    const own = scheduledRedis(scheduler, actor, redis, NAME_OF_SHA, mutant?.open(rainId, redis));
    const confirmHeld: ConfirmHeld = (key, fields, isHeld) => {
      if (durability !== 'replicas') return Promise.resolve(fields.map(() => true));
      const none = fields.map(() => false);
      return scheduler
        .command(actor, 'confirm', shardOfKey(key), async () => {
          const held = await redis.hmget(key, ...fields);
          if (random.chance(UNCONFIRMED)) return none;
          world.confirm(shardOfKey(key));
          return held.map(isHeld);
        })
        .catch(() => none);
    };
    // A fault is a part of the play: the grab is answered "busy".
    const onFault = () => {};
    const engine = confirmedEngine(createGrabEngine(own, onFault), confirmWins(confirmHeld));
    const mover = new Mover({
      restoring: () => false,
      redis: own,
      engine,
      confirmHeld,
      onFault,
      moveId: (from, to) => newMoveId(from, to, () => random.hex(24)),
      rest: () => scheduler.command(actor, 'rest', undefined, async () => {}),
      now: () => 0,
    });
    const grab = async (shard: number, userId: string): Promise<GrabAnswer> => {
      const [given] = await engine.grab(rainId, shard, [userId]);
      if (!isOfOneShard(given!)) return given!;
      let answers = 0;
      return new Promise((resolve) =>
        mover.ask(rainId, given.shards, {
          userId,
          shard,
          answer(brought) {
            if (answers++ > 0) twice.push(`${userId} got two answers, the second one is ${brought.code}`);
            resolve(brought);
          },
        }),
      );
    };
    let die = () => {};
    const died = new Promise<undefined>((resolve) => {
      die = () => resolve(undefined);
    });
    const gateway = { actor, grab, died, die };
    gateways.push(gateway);
    return gateway;
  }

  return {
    world,
    scheduler,
    openGateway,
    get living(): Gateway[] {
      return gateways.filter(({ actor }) => actor.alive);
    },
    closeAll(): void {
      for (const { actor } of gateways) actor.alive = false;
    },

    /** Asks until the answer is final, each time through the gateway that is chosen. */
    async ask(user: string, choose: () => Gateway): Promise<void> {
      for (;;) {
        const { grab, died } = choose();
        const from = world.now;
        const answer = await Promise.race([grab(shardOf(user, shards), user), died]);
        if (!answer || answer.code === '-7') continue;
        if ('redPacketId' in answer)
          won.set(user, {
            rainId,
            shard: shardOf(user, shards),
            userId: user,
            redPacketId: answer.redPacketId,
            amount: answer.amount,
            at: Date.now(),
          });
        else if (answer.code === '-1') refused.push({ user, from, to: world.now });
        else throw new Error(`${user} got ${JSON.stringify(answer)}`);
        return;
      }
    },

    /** Carries out one step; who dies by it is replaced. @returns whether somebody has died */
    async carryOut(step: Step, fate: Fate): Promise<boolean> {
      await scheduler.carryOut(step, fate);
      await world.look(step.shard);
      if (step.actor.alive) return false;
      openGateway();
      gateways.find(({ actor }) => actor === step.actor)?.die();
      await new Promise(setImmediate);
      return true;
    },

    /** A shard fails over. In `local` those who told wins put them back at once, as gateways do that notice it. */
    async failOver(shard: number): Promise<void> {
      await world.failOver(shard, random.below);
      if (durability !== 'local') return;
      // A move that arrives in this very moment from a lender that has forgotten it slips through, as in
      // docs/explanation/durability.md.
      for (const step of scheduler.pending) if (step.what === 'receive') await scheduler.carryOut(step, 'not_sent');
      await endMoves(redis, rainId, shards);
      await restoreSentWins(redis, signer, won.values());
      for (let at = 0; at < shards; at++) await world.look(at);
    },

    /** @param planned number of packets, those of a top-up included */
    async judge(planned: number): Promise<Findings> {
      // As the settlement does: a failover may have left a move on one side only.
      if (durability === 'local') await endMoves(redis, rainId, shards);
      const { claims, packets: left } = await world.readAll();
      const [lost, doubled]: [string[], string[]] = [[], twice];
      const places = [...claims.map(({ redPacketId }) => redPacketId), ...left];
      for (let i = 0; i < planned; i++) {
        const count = places.filter((id) => id === `${rainId}-${i}`).length;
        if (count === 0) lost.push(`packet ${i} is nowhere`);
        if (count > 1) doubled.push(`packet ${i} is in ${count} places`);
      }
      const winners = new Set(claims.map(({ userId }) => userId));
      if (winners.size < claims.length) doubled.push(`${claims.length} claims of ${winners.size} users`);
      for (const [user, { redPacketId: told }] of won) {
        if (!claims.some(({ userId, redPacketId }) => userId === user && redPacketId === told))
          lost.push(`${user} was told of ${told}, which is not in the log`);
      }
      // A failover that undoes what nobody has confirmed makes a "nothing left" untrue afterwards, as with one shard.
      return {
        falseNo:
          durability === 'local'
            ? []
            : refused.filter(({ from, to }) => !world.wasEmpty(from, to)).map(({ user }) => user),
        lost,
        doubled,
      };
    },
  };
}

/** A user whose shard is this one. */
export function userOf(stem: string, shards: number, shard: number): string {
  for (let i = 0; ; i++) if (shardOf(`${stem}-${i}`, shards) === shard) return `${stem}-${i}`;
}
