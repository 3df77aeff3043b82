import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { createCreditQueue, createDeadQueue } from '../../src/credit/queue.ts';
import { readDeadLetters } from '../../src/credit/deadLetters.ts';
import { auditRain, isInOrder } from '../../src/operator/audit.ts';
import type { QueueContext } from '../../src/operator/context.ts';
import { findLostRains } from '../../src/operator/lostRains.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { eventually } from '../support/eventually.ts';
import type { Deployment } from '../faults/deployment.ts';
import { createAndLoad } from '../faults/users/rainfall.ts';
import type { Act } from './act.ts';
import { ActRefused, openScene, type Scene } from './scene.ts';

/** The outcome of one act. */
export interface Played {
  act: string;
  /** The part that stopped or found it, in words. */
  noticed: string;
  /** Payments that the plan does not hold, or that nobody was told of: one sentence each. */
  paidWrongly: string[];
  /**
   * Nobody noticed the act, a user who was told of a win is neither paid nor on a list, or somebody was told what is not
   * so: one sentence each.
   */
  untold: string[];
}

const PACKETS = 40;
const BUDGET = '100.00';
const WINNERS = 6;
const WINDOW_MS = 900_000;
/** The issue is found within a minute; a busy machine gets half a minute more. */
const NOTICED_WITHIN_MS = 90_000;
/** An open rain is paid within seconds. */
const PAID_WITHIN_MS = 20_000;
/**
 * Claims that nobody carries are sent again after 15 s without a credit, in rounds of 5 s: 18.7 to 20.0 s were seen.
 */
const SENT_AGAIN_WITHIN_MS = 40_000;

interface WalletAsked {
  redPacketId: string;
  userId: string;
  amount: string;
  rainId: string;
}

interface Tampered {
  deployment: Deployment;
  queues: QueueContext['queues'];
  /** Everything that the wallet paid; empty where the ledger keeps the money. */
  walletPaid(): Iterable<WalletAsked>;
}

export async function openQueuesOf({ env }: Deployment) {
  const connection = connectRedis(env['REDIS_URL']!, { purpose: 'queue', onError: () => {} });
  await untilReady(connection);
  const options = { connection, prefix: QUEUE_PREFIX, onError: () => {} };
  const queues = { credit: createCreditQueue(options), dead: createDeadQueue(options) };
  return {
    queues,
    close: async () => {
      await Promise.all([queues.credit.close(), queues.dead.close()]);
      connection.disconnect();
    },
  };
}

/**
 * Honest users win, the act is done, more honest users grab; then everything that was told and paid is compared with
 * the plan.
 */
export async function play(stage: Tampered, act: Act, rainId: string): Promise<Played> {
  const { deployment } = stage;
  const { context } = deployment;
  const opensAt = (await redisNow(context.redis)) + (act.opensInMs ?? -1_000);
  await createAndLoad(context, {
    id: rainId,
    plan: { budget: BUDGET, packets: PACKETS, split: { method: 'double-mean' } },
    opensAt,
    closesAt: opensAt + WINDOW_MS,
    shards: act.shards ?? 1,
  });
  const scene = await openScene(deployment, rainId, stage.queues.dead);
  const names = (group: string) => Array.from({ length: WINNERS }, (_, i) => `${rainId}-${group}-${i}`);
  if (act.opensInMs === undefined) {
    await scene.users.grab(names('early'));
    await eventually(async () => (await context.ledger.book(rainId))!.credited.count >= WINNERS, {
      timeoutMs: PAID_WITHIN_MS,
    });
  }
  const noticedAtOnce = await act.strike(scene).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ActRefused) return `refused: ${error.message}`;
      throw error;
    },
  );
  await scene.users.grab(names('late'));
  const noticed =
    noticedAtOnce ??
    (await eventually(() => noticedBy(stage, scene, act), { timeoutMs: NOTICED_WITHIN_MS, everyMs: 1_000 }).catch(
      () => '',
    ));
  // An operator ends the rain. An unpaid win then stands on a list, or somebody was told of money that nobody knows of.
  await scene.rain('close', rainId);
  const unpaid = await untilPaid(stage, scene);
  return {
    act: act.name,
    noticed,
    paidWrongly: await wrongPayments(stage, scene, act),
    untold: [...(noticed ? [] : ['nobody noticed it']), ...unpaid, ...((await act.untrue?.(scene)) ?? [])],
  };
}

/** The signs that an operator sees without looking for them, or in the audit. */
async function noticedBy(
  { deployment: { context }, queues }: Tampered,
  scene: Scene,
  act: Act,
): Promise<string | false> {
  const { rainId, redis, keys } = scene;
  if (await act.healed?.(scene)) return 'healed';
  if ((await redis.llen(keys.spoiled)) > 0) return 'set aside by the gateway, and never told';
  const { letters } = await readDeadLetters(queues.dead, { rainId, limit: 10 });
  if (letters[0]) return `dead letter: ${letters[0].reason}`;
  if ((await redis.hget(keys.state, 'state')) === 'paused') return 'the rain is paused';
  if ((await findLostRains(context)).includes(rainId)) return 'doctor: the rain is missing in Redis';
  const audit = await auditRain({ ...context, queues }, rainId);
  return audit && !isInOrder(audit) ? `audit: ${audit.problems[0] ?? 'told twice'}` : false;
}

/** @returns users who were told of a win that is neither paid nor named on a list of the operator */
async function untilPaid(stage: Tampered, scene: Scene): Promise<string[]> {
  const { rainId, users } = scene;
  const { ledger } = stage.deployment.context;
  const unpaid = async () => {
    const open: string[] = [];
    for (const [userId, told] of users.told) {
      const credit = await ledger.creditOf(rainId, userId);
      for (const win of told)
        if (credit?.redPacketId !== win.redPacketId || formatMoney(credit.amountCents) !== win.amount)
          open.push(`${userId} was told ${win.amount} of ${win.redPacketId}`);
    }
    return open;
  };
  await eventually(async () => (await unpaid()).length === 0, { timeoutMs: SENT_AGAIN_WITHIN_MS, everyMs: 500 }).catch(
    () => {},
  );
  const open = await unpaid();
  if (open.length === 0) return [];
  const lists = await Promise.all([
    scene.rain('audit', rainId, '--json'),
    scene.rain('dead', 'list', '--json'),
    scene.rain('restore', 'check', rainId, '--json'),
  ]);
  return open.filter((sentence) => !lists.some((list) => list.includes(sentence.split(' ')[0]!)));
}

async function wrongPayments(
  { deployment: { database }, walletPaid }: Tampered,
  { rainId, planned, users, thief }: Scene,
  act: Act,
): Promise<string[]> {
  const wrong: string[] = [];
  const check = (where: string, { redPacketId, userId, amount }: Omit<WalletAsked, 'rainId'>) => {
    if (planned.get(redPacketId) !== amount)
      return wrong.push(
        `${where} paid ${amount} for ${redPacketId} to ${userId}; the plan has ${planned.get(redPacketId) ?? 'no such packet'}`,
      );
    const wasTold = users.told.get(userId)?.some((told) => told.redPacketId === redPacketId);
    return !wasTold && !act.handsOut && wrong.push(`${where} paid ${redPacketId} to ${userId}, who was not told of it`);
  };
  const credits = await database.transfer.findMany({ where: { rainId, kind: 'credit' } });
  for (const { redPacketId, userId, amountCents } of credits)
    check('the ledger', { redPacketId: redPacketId!, userId: userId!, amount: formatMoney(amountCents) });
  const packets = new Map<string, string>();
  for (const paid of walletPaid()) {
    if (paid.rainId !== rainId) continue;
    check('the wallet', paid);
    const other = packets.get(paid.redPacketId);
    if (other !== undefined) wrong.push(`the wallet paid ${paid.redPacketId} to ${other} and to ${paid.userId}`);
    packets.set(paid.redPacketId, paid.userId);
  }
  const stolen = await database.account.findMany({
    where: { id: { startsWith: `user:${thief}` }, balanceCents: { gt: 0 } },
  });
  if (!act.handsOut) for (const { id, balanceCents } of stolen) wrong.push(`${id} has ${formatMoney(balanceCents)}`);
  return wrong;
}
