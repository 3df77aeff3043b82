import { CONNECTS_PER_SECOND } from '../../../loadtest/wave.ts';
import { signToken } from '../../../platform/auth/token.ts';
import { homeOf } from '../../../platform/embedded/formCluster.ts';
import type { RedisClient } from '../../../platform/redis/connect.ts';
import type { Shutdown } from '../../../platform/process/shutdown.ts';
import { newPlacedId } from '../../../operator/create.ts';
import { isInOrder } from '../../../operator/audit.ts';
import type { RainView } from '../../../operator/list.ts';
import { figure } from '../../../rain/figures.ts';
import { shardKeys, shardOf } from '../../../store/keys.ts';
import { openContext } from '../../context.ts';
import { EXIT, notify, print } from '../../exit.ts';
import type { Progress } from '../../progress.ts';
import type { Terminal } from '../../terminal.ts';
import { playRound } from '../demo.ts';
import type { UpOptions } from '../run.ts';
import { failed, patienceOf } from '../system.ts';
import { failOver, type Failover } from './failover.ts';
import { Refusals } from './refusals.ts';
import { describeTrial, type Trial } from './report.ts';
import { checkCluster, startClusterSystem } from './system.ts';

const SHARDS = 4;
const DEFAULTS = { bots: 1_500, packets: 600, budget: '600.00', duration: 40_000 };
/** Part of the time in which the rain is open: when all users have come. */
const ARRIVED_SHARE = 0.75;
/** Part of the packets that are won when the master dies: some are left then in all shards. */
const KILLED_SHARE = 1 / 3;
const TOKEN_SECONDS = 3_600;
/** From the creation of the rain until its packets are loaded, at most, ms. */
const LOADED_MS = 3_000;
const PROGRESS_MS = 5_000;

/**
 * Starts a Cluster with all that belongs to a rain, plays one over four shards while a master is killed, prints who
 * noticed, and removes it all.
 */
export async function upCluster(terminal: Terminal, options: UpOptions, shutdown: Shutdown): Promise<void> {
  checkCluster(terminal);
  const { bots, packets, budget, duration } = { ...DEFAULTS, ...given(options) };
  const tell = (sentence: string) => notify(terminal, `${new Date().toTimeString().slice(0, 8)} ${sentence}`);
  const system = await startClusterSystem(terminal, shutdown, tell);
  const context = await openContext(
    { REDIS_URL: system.cluster.url, DATABASE_URL: system.databaseUrl, SIGNING_SECRET: system.signingSecret },
    'trial',
    patienceOf(terminal),
  );
  shutdown.onClose('commands', () => context.close());

  const { id, masters } = placeRain(context.redis);
  const dies = masters.reduce((most, shards, i) => (shards.length > masters[most]!.length ? i : most), 0);
  const arrivingS = Math.round((duration * ARRIVED_SHARE) / 1_000);
  tell(
    `${figure(bots)} users come within ${arrivingS} s for ${figure(packets)} packets in ${SHARDS} shards: ${masters.map((shards, i) => `${shards.length} on master ${i + 1}`).join(', ')}`,
  );
  const refusals = new Refusals();
  let failing: Promise<Failover> | undefined;
  const progress = progressOf(tell);
  const onView = (view: RainView) => {
    progress.update(view);
    if (failing || view.claims < KILLED_SHARE * Math.min(packets, bots)) return;
    refusals.begin(performance.now());
    failing = failOver({ cluster: system.cluster, master: dies, signal: shutdown.signal, tell });
    failing.catch(() => {}); // Awaited below, when the rain is over.
  };
  const played = await playRound(
    {
      terminal,
      context,
      gatewayUrl: system.gatewayUrl,
      signal: shutdown.signal,
      tokenFor: (sub) => signToken(system.jwtSecret, { sub, expiresInSeconds: TOKEN_SECONDS }),
    },
    {
      title: 'Cluster',
      id,
      shards: SHARDS,
      budget,
      packets,
      bots,
      opensInMs: Math.ceil(bots / CONNECTS_PER_SECOND) * 1_000 + LOADED_MS,
      durationMs: duration,
      arrivals: { shape: 'steady', perSecond: bots / ((duration * ARRIVED_SHARE) / 1_000) },
      onAnswer: (userId, code, nowMs) => refusals.answered(userId, code, nowMs),
      progress: { update: onView, stop() {} },
    },
  );
  const failover = await failing;
  if (!failover)
    throw failed(
      `no master was killed, because hardly anybody won: ${played.bots.outcomes.map(({ name, count }) => `${count} ${name}`).join(', ')}`,
    );
  const trial: Trial = {
    rainId: id,
    users: bots,
    packets,
    killed: `master ${dies + 1}`,
    ...failover,
    masters: masters.map((shards, i) => ({
      name: `master ${i + 1}`,
      port: system.cluster.masters[i]!.port,
      killed: i === dies,
      shards,
      ...refusals.of((userId) => shards.includes(shardOf(userId, SHARDS))),
    })),
    winners: played.bots.winners,
    told: played.bots.told,
    outcomes: played.bots.outcomes,
    settled: played.settled,
    audit: played.audit.report,
    problems: [...played.audit.problems],
    inOrder: isInOrder(played.audit),
    answers: played.verdict,
    balanced: played.settled && isInOrder(played.audit) && played.verdict.balanced,
  };
  print(terminal, options.json, trial, describeTrial(trial));
  await shutdown.end(trial.balanced ? EXIT.done : EXIT.refused);
}

/** Options that were not given are absent, or `undefined`. */
function given({ bots, packets, budget, duration }: UpOptions): Partial<typeof DEFAULTS> {
  return Object.fromEntries(
    Object.entries({ bots, packets, budget, duration }).filter(([, value]) => value !== undefined),
  );
}

/** A line each few seconds, while something changes. */
function progressOf(tell: (sentence: string) => void): Pick<Progress<[RainView]>, 'update'> {
  let told = '';
  let next = 0;
  return {
    update({ state, claims, credited }) {
      const sentence = `the rain is ${state}: ${figure(claims)} packets won, ${figure(credited)} of them credited`;
      if (sentence === told || Date.now() < next) return;
      next = Date.now() + PROGRESS_MS;
      told = sentence;
      tell(sentence);
    },
  };
}

/** `masters`: the shards of each, at least one. */
function placeRain(redis: RedisClient): { id: string; masters: number[][] } {
  const id = newPlacedId(Date.now(), SHARDS, redis);
  const masters: number[][] = [[], [], []];
  for (let shard = 0; shard < SHARDS; shard++) masters[homeOf(shardKeys(id, shard).state)]!.push(shard);
  return { id, masters };
}
