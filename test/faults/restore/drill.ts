import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECRET as WALLET_SECRET, startWallet, type Wallet } from '../../credit/wallet.ts';
import { eventually } from '../../support/eventually.ts';
import { readable } from '../../../src/platform/telemetry/logFile.ts';
import { deploy, workerName, type Deployment } from '../deployment.ts';
import { backUpPostgres, backUpRedis } from '../means/backup.ts';
import type { RunResult } from '../recovery.ts';
import { endAndSettle, grab, isCredited, openRain, untilCredited, type DrillRain } from './rains.ts';
import { say } from './say.ts';

/** A bad day: which stores come back from a backup, and who keeps the users' money. */
export interface Drill {
  restored: readonly ('redis' | 'postgres')[];
  /** Whether the gateways, which remember what they have told, live on. */
  gateways: 'kept' | 'restarted';
  paidBy: 'ledger' | 'webhook';
  /** Redis is backed up so much later than PostgreSQL: after the rains of the second half have begun. */
  redisLater?: boolean;
}

/**
 * How long the system may take to notice and to heal by itself, and then with the operator's word, if somebody is still
 * paid now and then.
 */
const BY_ITSELF_MS = 20_000;
const WITH_OPERATOR_MS = 30_000;
const NOBODY_PAID_MS = 8_000;
/** Nothing is lost that is only late: a worker beside busy processes may get no processor for half a minute. */
const LATE_MS = 60_000;

/** Plays rains at every stage of their life, restores, and does what docs/how-to/back-up-and-restore.md says. */
export async function playDrill(drill: Drill): Promise<RunResult> {
  const { restored, gateways, paidBy, redisLater = false } = drill;
  const wallet = await startWallet({ onePerUser: true });
  const env: Record<string, string> =
    paidBy === 'ledger' ? {} : { PAYOUT_PROVIDER: 'webhook', WEBHOOK_URL: wallet.url, WEBHOOK_SECRET: WALLET_SECRET };
  const deployment = await deploy({ gateways: 1, workers: 1, env });
  try {
    const run = randomBytes(3).toString('hex');
    const rains: DrillRain[] = [];
    const open = async (stage: string, winners?: number) => {
      const rain = await openRain(deployment, `${stage}-${run}`, stage, winners);
      rains.push(rain);
      return rain;
    };
    const fresh = await open('loaded', 0);
    const half = await open('open');
    const topped = await open('topped');
    const ended = await open('ended');
    const settled = await open('settled');
    for (const rain of [half, topped, ended, settled]) await untilCredited(deployment, rain);
    await endAndSettle(deployment, settled);
    const postgres = backUpPostgres(deployment);
    const early = redisLater ? undefined : backUpRedis(deployment);

    await grab(fresh, 'second', 5);
    await grab(half, 'second', 5);
    await deployment.rain('top-up', topped.rainId, '--budget', '20.00', '--packets', '10', '--id', `top-${run}`);
    await grab(topped, 'second', 5);
    const redis = early ?? backUpRedis(deployment);
    await grab(ended, 'second', 5);
    const later = await open('later');
    for (const rain of rains.filter(({ rainId }) => rainId !== settled.rainId)) await untilCredited(deployment, rain);
    await endAndSettle(deployment, ended);

    if (gateways === 'restarted') await deployment.gateways[0]!.stop();
    if (restored.includes('postgres')) await postgres.restore();
    if (restored.includes('redis')) await redis.restore();
    if (gateways === 'restarted') await deployment.gateways[0]!.start();
    await eventually(() => deployment.context.redis.status === 'ready');
    // A crowd that does not wait for the operator.
    await Promise.all([fresh, half, topped, ended, settled, later].map((rain) => grab(rain, 'third', 4, 4_000)));
    await sleep(BY_ITSELF_MS);
    const commands: string[] = [
      await say(deployment, 'restore', 'check'),
      await say(deployment, 'restore', 'apply', '--reason', 'drill'),
    ];
    // Users come back, and show what they were told.
    await Promise.all(rains.map((rain) => rain.users.grab([...rain.users.told.keys()], 4_000)));
    await untilNobodyIsPaid(() => unpaid(deployment, wallet, paidBy, rains));
    return await verdict(deployment, wallet, drill, rains, commands);
  } finally {
    await deployment.end();
    await wallet.stop();
  }
}

/**
 * Some are not paid for a good reason, and stand on a list: nothing more is to be expected of the others when nobody
 * has been paid for a while.
 */
async function untilNobodyIsPaid(look: () => Promise<readonly unknown[]>): Promise<void> {
  let [left, since] = [Infinity, Date.now()];
  await eventually(
    async () => {
      const { length } = await look();
      if (length !== left) [left, since] = [length, Date.now()];
      return left === 0 || Date.now() - since >= NOBODY_PAID_MS;
    },
    { timeoutMs: WITH_OPERATOR_MS, everyMs: 500 },
  ).catch(() => {});
}

interface Unpaid {
  userId: string;
  rainId: string;
  redPacketId: string;
  amount: string;
}

/** Wins that users were told of and that nobody has paid. */
async function unpaid(
  { context }: Deployment,
  wallet: Wallet,
  paidBy: Drill['paidBy'],
  rains: readonly DrillRain[],
): Promise<Unpaid[]> {
  const open: Unpaid[] = [];
  for (const { rainId, users } of rains) {
    for (const [userId, told] of users.told) {
      for (const { redPacketId, amount } of told) {
        const isPaid =
          paidBy === 'webhook'
            ? [...wallet.paid.values()].some(
                (paid) => paid.userId === userId && paid.redPacketId === redPacketId && paid.amount === amount,
              )
            : await isCredited(context, rainId, userId, { redPacketId, amount });
        if (!isPaid) open.push({ userId, rainId, redPacketId, amount });
      }
    }
  }
  return open;
}

async function verdict(
  deployment: Deployment,
  wallet: Wallet,
  { paidBy, restored }: Drill,
  rains: readonly DrillRain[],
  commands: readonly string[],
): Promise<RunResult> {
  const lists = [
    ...commands,
    await say(deployment, 'restore', 'check', '--json'),
    await say(deployment, 'dead', 'list', '--json', '--limit', '1000'),
    ...(await Promise.all(rains.map(({ rainId }) => say(deployment, 'audit', rainId, '--json')))),
  ];
  const since = Date.now();
  let lost: Unpaid[] = [];
  await eventually(
    async () => {
      lost = (await unpaid(deployment, wallet, paidBy, rains)).filter(
        ({ userId, redPacketId }) => !lists.some((list) => list.includes(userId) || list.includes(redPacketId)),
      );
      return lost.length === 0;
    },
    { timeoutMs: LATE_MS, everyMs: 500 },
  ).catch(() => {});
  const problems = lost.length === 0 ? [] : [await whatTheWorkerDid(deployment)];
  for (const { userId, redPacketId, amount } of lost)
    problems.push(`${userId} was told ${amount} of ${redPacketId}, is not paid, and stands on no list`);
  const twice = paidTwice(wallet, restored.length > 1);
  problems.unshift(...deployment.accidents());
  problems.push(...twice);
  if ((await deployment.context.ledger.sumOfBalances()) !== 0n) problems.push('the accounts do not sum to 0');
  const acknowledged = rains.reduce((sum, { users }) => sum + users.told.size, 0);
  return {
    acknowledged,
    lost: lost.length,
    doubled: twice.length,
    problems,
    recoverySeconds: (Date.now() - since) / 1_000,
    struck: 'with the stores',
  };
}

/** For a failure that does not come again: what waits, and the last that the worker has said. */
async function whatTheWorkerDid(deployment: Deployment): Promise<string> {
  const log = readFileSync(join(dirname(deployment.redisFolder), `${workerName(0)}.log`), 'utf8');
  const said = log.trimEnd().split('\n').slice(-4).map(readable);
  const { queues } = JSON.parse(await say(deployment, 'queues', '--json')) as { queues: Record<string, unknown>[] };
  const waits = queues
    .slice(0, 2)
    .map(({ name, waiting, active, delayed, nextAt }) => [name, waiting, active, delayed, nextAt].join(' '));
  return `${waits.join(', ')}; ${said.join(' | ')}`;
}

/**
 * One payment for each user of a rain, and one for each packet.
 * @param bothOlder neither store can know who had a packet before: a winner of before and one of afterwards are both
 *   paid what they were told
 */
function paidTwice(wallet: Wallet, bothOlder: boolean): string[] {
  const seen = new Map<string, string>();
  const twice: string[] = [];
  for (const { rainId, userId, redPacketId, claimId } of wallet.paid.values()) {
    for (const name of [`the user ${userId} of ${rainId}`, ...(bothOlder ? [] : [`the packet ${redPacketId}`])]) {
      if (seen.has(name)) twice.push(`the wallet paid ${name} twice: ${seen.get(name)} and ${claimId}`);
      seen.set(name, claimId);
    }
  }
  return twice;
}
