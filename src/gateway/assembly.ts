import { isOver } from '../rain/rain.ts';
import { createRedisFaults } from './telemetry/redisFaults.ts';
import { randomBytes } from 'node:crypto';
import { Batcher } from '../grab/batcher.ts';
import { BUSY, createGrabEngine, decideGrabs, type GrabAnswer } from '../grab/engine.ts';
import { isOfOneShard, Mover } from '../grab/mover.ts';
import { verifiedEngine } from '../grab/verify.ts';
import { askRedis } from '../platform/redis/askRedis.ts';
import { requireCommands } from '../store/permissions.ts';
import { loadScripts } from '../store/scripts.ts';
import { createWinnersReader } from '../store/winnersFilter.ts';
import { encode } from '../protocol/codec.ts';
import type { RainSnapshot } from '../protocol/messages.ts';
import { DURABILITY_WAIT_MS, LOCAL } from '../platform/redis/durability.ts';
import type { Lifecycle } from '../platform/process/lifecycle.ts';
import { PROOF_OF_WORK_TRIES } from '../platform/config.ts';
import { NO_TICKETS, ticketRulesText } from '../rain/ticketRules.ts';
import { WITHOUT_PATIENCE } from '../platform/process/starting.ts';
import { connectRedis, untilReady } from '../platform/redis/connect.ts';
import { requireFit } from '../platform/redis/requirements.ts';
import { answer, type PendingGrab } from './handlers/pendingGrab.ts';
import { Hub } from './broadcast/hub.ts';
import { Blocklist, disconnectBlocked } from './ratelimit/blocklist.ts';
import { RainCache } from './rains/rainCache.ts';
import type { SnapshotChange } from './rains/snapshotCache.ts';
import type { HandlerContext } from './handlers/context.ts';
import { LocalAnswers } from './rains/localAnswers.ts';
import { frameOf } from './sockets/frame.ts';
import { openGatewayDurability } from './durability/durability.ts';
import { openForgedPackets } from './durability/forgedPackets.ts';
import { openForgedReservations } from './durability/forgedReservations.ts';
import { createEpochGate } from './durability/epochGate.ts';
import { LIMITS, type Limits } from './limits.ts';
import { pipeline } from './pipeline.ts';
import { tellCredit } from './rains/credits.ts';
import { Uncredited } from './rains/uncredited.ts';
import { subscribeToEvents } from './rains/subscriber.ts';
import { FairStart } from './rains/fairStart.ts';
import { unknownTerms } from '../rain/terms.ts';
import { warnOfUnknownTerms } from './rains/terms.ts';
import { isListedFor } from './rains/visibility.ts';
import type { GatewayOptions } from './options.ts';
import { RateLimiter } from './ratelimit/rateLimiter.ts';
import { openOverloadControl } from './overload/overload.ts';
import { send } from './sockets/session.ts';
import { createGatewayCounters } from './telemetry/counters.ts';
import { createTimes } from './telemetry/times.ts';
import { traceWins } from './telemetry/spans.ts';
import { Challenges, type ChallengeRules } from './challenge/challenges.ts';
import { openSales } from './sales/openSales.ts';

const NOT_STARTED: GrabAnswer = { code: '-2' };

export type Assembly = ReturnType<typeof assemble>;

/** All parts of a gateway behind its sockets, wired together. No socket is open yet. */
export function assemble(options: GatewayOptions, lifecycle: Lifecycle) {
  const { redisUrl, log, signer, durability = LOCAL, winnerNames = 'masked', traces } = options;
  const limits: Limits = { ...LIMITS, ...options.limits };
  const rules: ChallengeRules = options.challenges ?? {
    ...NO_TICKETS,
    secret: randomBytes(32).toString('base64url'),
    proofOfWorkTries: PROOF_OF_WORK_TRIES,
  };
  const ownTicketRules = { tickets: rules.tickets, proofOfWork: rules.proofOfWork, leadMs: limits.ticketLeadMs };
  const counters = createGatewayCounters();
  const times = createTimes();
  const report = createRedisFaults(log);
  let started = false;
  const onFault = (error: unknown) => {
    counters.redisFaults++;
    // Before the start has ended, start() throws the fault instead.
    if (started) report(error);
  };
  // Grabs, reads and pub/sub have a connection each: a slow snapshot never stands before a grab.
  const grabs = connectRedis(redisUrl, { purpose: 'grabs', onError: onFault });
  const reads = connectRedis(redisUrl, { purpose: 'once', onError: onFault });
  const subscriber = connectRedis(redisUrl, { purpose: 'subscriber', onError: onFault });

  // As rain/claim.ts expects it.
  const gateway = randomBytes(4).toString('hex');
  const hub = new Hub();
  const rainCache = new RainCache({
    redis: reads,
    onFault,
    ticketRules: ownTicketRules,
    restMs: () => hub.restMs,
    onChange: tell,
    onLost: (rain) => gatewayDurability.lost(rain),
    onLeft: ({ rainId, state }) => {
      if (state === 'settled') gatewayDurability.settled(rainId);
    },
  });
  const now = () => rainCache.now();
  const gatewayDurability = openGatewayDurability({
    redisUrl,
    redis: grabs,
    signer,
    durability,
    waitMs: options.durabilityWaitMs ?? DURABILITY_WAIT_MS,
    secondLookMs: options.secondLookMs,
    now,
    rains: () => rainCache.readings(),
    log,
    onFault,
  });
  const epochGate = createEpochGate({ redis: reads, log, onFault, onOlder: gatewayDurability.doubt });
  const connections = [grabs, reads, subscriber, ...gatewayDurability.connections];
  const localAnswers = new LocalAnswers({
    read: createWinnersReader({ redis: reads, signer, onFault }),
    rainCache,
    onFault,
  });
  const overload = openOverloadControl({ limits, redis: reads, now, log, onFault, times });
  const forgeries = openForgedPackets({ redis: grabs, signer, counters, log, onFault });
  const checked = (rainId: string) => ticketRulesText(rainCache.reading(rainId)?.ticketRules);
  const onEngineFault = (error: unknown) => {
    gatewayDurability.onEngineFault();
    onFault(error);
  };
  const engine = pipeline(
    [
      epochGate.busyUntilCompared,
      gatewayDurability.busyWhileRestoring,
      (inner) => verifiedEngine(inner, forgeries),
      // The wait for replicas is not measured: when those of one master stall, Redis is not slow.
      gatewayDurability.confirmedByReplicas,
      overload.roundTrips.measured,
    ],
    createGrabEngine(grabs, onEngineFault, checked, gateway),
  );
  const mover = new Mover({
    redis: grabs,
    engine,
    confirmHeld: gatewayDurability.confirmHeld,
    restoring: gatewayDurability.restoring,
    onFault: onEngineFault,
  });
  function conclude(pending: PendingGrab, rainId: string, decided: GrabAnswer, shard: number): void {
    const given = decided.code === '-8' && rainCache.isUnsettled(rainId) ? BUSY : decided;
    if (given.code === '-1' || given.code === '-2' || given.code === '-3') localAnswers.heardNo(rainId);
    if (given.code === '1' && !gatewayDurability.hasTold(rainId, pending.userId))
      uncredited.watch({ rainId, shard, userId: pending.userId, redPacketId: given.redPacketId, amount: given.amount });
    answer(
      pending,
      rainId,
      'amount' in given ? gatewayDurability.remember(rainId, shard, pending.userId, given) : given,
      context,
    );
  }
  const batcher = new Batcher<PendingGrab, GrabAnswer>(
    decideGrabs(engine),
    (pending, rainId, given, shard) => {
      if (!isOfOneShard(given)) return conclude(pending, rainId, given, shard);
      if (!batcher.hold()) return conclude(pending, rainId, BUSY, shard);
      // By the index, as for the shard of the user: fewer shards, written into the state of one, would hide the others.
      mover.ask(rainId, rainCache.reading(rainId)?.shards ?? given.shards, {
        userId: pending.userId,
        shard,
        answer(brought) {
          batcher.release();
          conclude(pending, rainId, brought, shard);
        },
      });
    },
    limits,
    (batch) => {
      times.answers.add((batch.answeredAt - batch.openedAt) / 1_000, batch.pending.length);
      if (traces) traceWins(traces, batch);
    },
  );
  const starting = {
    fairStartMs: limits.fairStartMs,
    clock: rainCache,
    onGathered: () => {
      counters.gathered++;
    },
    ...(options.chance && { chance: options.chance }),
  };
  const fairStart = new FairStart<PendingGrab>({
    ...starting,
    batcher,
    answerNotStarted: (pending, rainId) => answer(pending, rainId, NOT_STARTED, context),
    reading(rainId) {
      const rain = rainCache.reading(rainId);
      return rain && { readAtMonotonic: rain.readAtMonotonic, isUntouched: rain.claims === 0 };
    },
  });
  const sales = openSales({
    grabs,
    reads,
    hub,
    ownTicketRules,
    clock: rainCache,
    starting,
    gatewayDurability,
    forged: openForgedReservations({ signer, counters, log }),
    epochGate,
    overload,
    limits,
    counters,
    times,
    log,
    onFault,
  });
  // After a reconnect the server may be another one, or may have changed without an event.
  for (const connection of connections)
    for (const answers of [localAnswers, sales.localAnswers]) connection.on('close', () => answers.forget());
  const rateLimiter = new RateLimiter(limits, counters, hub);
  const uncredited = new Uncredited({
    redis: reads,
    signer,
    hub,
    onFault,
    tell: (win) => tellCredit(win.rainId, win, context),
  });
  const challenges = new Challenges(rules, {
    limits,
    counters,
    now,
    pressed: options.pressed ?? (() => overload.pressure.pressed),
  });
  const blocklist = new Blocklist({
    redis: reads,
    now,
    onFault,
    onChange: () => hub.each((session) => disconnectBlocked(session, blocklist, limits)),
  });
  const context: HandlerContext = {
    limits,
    hub,
    rainCache,
    batcher,
    sales,
    fairStart,
    localAnswers,
    gatewayDurability,
    forgeries,
    signer,
    redis: reads,
    uncredited,
    pendingReceipts: { count: 0 },
    rateLimiter,
    blocklist,
    challenges,
    overload,
    winnerNames,
    counters,
    traces,
    onFault,
  };

  function tell(snapshot: RainSnapshot, event: SnapshotChange): void {
    fairStart.expect(snapshot.rainId, snapshot);
    if (event === 'announcement') {
      const { rainId, terms = {} } = snapshot;
      warnOfUnknownTerms({ rainId }, unknownTerms(terms), log);
      forgeries.warnOfOtherKey(snapshot.rainId, rainCache.reading(snapshot.rainId)?.signedBy);
    }
    const stored = rainCache.reading(snapshot.rainId);
    if (snapshot.state === 'open' && stored?.left === 0 && !stored.drained)
      mover.verify(snapshot.rainId, stored.shards);
    if (isOver(snapshot.state) && event !== 'left') gatewayDurability.closed({ rainId: snapshot.rainId });
    const frame = frameOf(encode(snapshot));
    const { rainId, terms = {} } = snapshot;
    hub.tell(
      rainId,
      event,
      (session) => send(session, frame, limits),
      ({ audience }) => isListedFor(audience, 'rains', rainId, terms),
    );
  }

  lifecycle.onClose('connections', () => {
    for (const connection of connections) connection.disconnect();
  });
  for (const [name, part] of Object.entries({
    gatewayDurability,
    epochGate,
    overload,
    blocklist,
    uncredited,
    fairStart,
    saleFairStart: sales.fairStart,
    rainCache,
    saleCache: sales.cache,
  }))
    lifecycle.onClose(name, () => part.close());
  /** Whether the connections for grabs and reads are ready. */
  const connected = () => grabs.status === 'ready' && reads.status === 'ready';
  return {
    context,
    blocklist,
    overload,
    times,
    connected,
    // These parts must answer for the gateway to be ready; not the connection for grabs, which a high load may delay.
    parts: [
      {
        name: 'redis',
        ask: () => (connected() ? askRedis(reads) : Promise.reject(new Error('the connection is away'))),
      },
      { name: 'stores', ask: epochGate.ask },
    ],
    /** @throws when Redis is unreachable or not fit to hold wins, or when a script does not compile */
    async start(): Promise<void> {
      const { patience = WITHOUT_PATIENCE } = options;
      await patience(async () => {
        await Promise.all(connections.map((connection) => untilReady(connection)));
        await requireFit(reads, durability, log);
        await requireCommands(reads, 'gateway');
        await loadScripts(grabs);
      });
      // Each by itself: one that has started must not start again.
      for (const part of [epochGate, rainCache, sales.cache, blocklist, overload]) await patience(() => part.start());
      await subscribeToEvents(subscriber, context, gateway);
      started = true;
    },
  };
}
