import { Batcher } from '../grab/batcher.ts';
import { createGrabEngine } from '../grab/engine.ts';
import { verifiedEngine } from '../grab/verify.ts';
import { loadScripts } from '../store/scripts.ts';
import { encode } from '../protocol/codec.ts';
import type { RainSnapshot } from '../protocol/messages.ts';
import { DURABILITY_WAIT_MS, LOCAL } from '../platform/redis/durability.ts';
import type { Lifecycle } from '../platform/process/lifecycle.ts';
import { throttled } from '../platform/telemetry/log.ts';
import { connectRedis, untilReady } from '../platform/redis/connect.ts';
import { requireFit } from '../platform/redis/requirements.ts';
import { answer, type PendingGrab } from './handlers/pendingGrab.ts';
import { Hub } from './broadcast/hub.ts';
import { Blocklist, disconnectBlocked } from './ratelimit/blocklist.ts';
import { RainCache, type RainChange } from './rains/rainCache.ts';
import type { HandlerContext } from './handlers/context.ts';
import { LocalAnswers } from './rains/localAnswers.ts';
import { frameOf } from './sockets/frame.ts';
import { openGatewayDurability } from './durability/durability.ts';
import { openForgedPackets } from './durability/forgedPackets.ts';
import { createEpochGate } from './durability/epochGate.ts';
import { LIMITS, type Limits } from './limits.ts';
import { pipeline } from './pipeline.ts';
import { subscribeToEvents } from './rains/subscriber.ts';
import { FairStart } from './rains/fairStart.ts';
import { warnOfUnknownTerms } from './rains/terms.ts';
import type { GatewayOptions } from './options.ts';
import { RateLimiter } from './ratelimit/rateLimiter.ts';
import { openOverloadControl } from './overload/overload.ts';
import { send, type Session } from './sockets/session.ts';
import { createGatewayCounters } from './telemetry/counters.ts';
import { createTimes } from './telemetry/times.ts';
import { traceWins } from './telemetry/spans.ts';
import { Challenges } from './challenge/challenges.ts';

export type Assembly = ReturnType<typeof assemble>;

/** All parts of a gateway behind its sockets, wired together. No socket is open yet. */
export function assemble(options: GatewayOptions, lifecycle: Lifecycle) {
  const { redisUrl, log, signer, durability = LOCAL, traces } = options;
  const limits: Limits = { ...LIMITS, ...options.limits };
  const counters = createGatewayCounters();
  const times = createTimes();
  const report = throttled((error) => log.error({ err: error }, 'redis fault'));
  let started = false;
  const onFault = (error: unknown) => {
    counters.redisFaults++;
    // Before the start has ended, start() throws the fault instead.
    if (started) report(error);
  };
  // Grabs, reads and pub/sub have a connection each: a slow snapshot never stands before a grab.
  const grabs = connectRedis(redisUrl, { purpose: 'once', onError: onFault });
  const reads = connectRedis(redisUrl, { purpose: 'once', onError: onFault });
  const subscriber = connectRedis(redisUrl, { purpose: 'subscriber', onError: onFault });

  const hub = new Hub();
  const rainCache = new RainCache({ redis: reads, onFault, restMs: () => hub.restMs, onChange: tell, onLeft: (rain) => gatewayDurability.left(rain) });
  const now = () => rainCache.now();
  const gatewayDurability = openGatewayDurability({ redisUrl, redis: grabs, signer, durability, waitMs: options.durabilityWaitMs ?? DURABILITY_WAIT_MS, now, log, onFault });
  const epochGate = createEpochGate({ redis: reads, log, onFault, onOlder: gatewayDurability.doubt });
  const connections = [grabs, reads, subscriber, ...gatewayDurability.connections];
  const localAnswers = new LocalAnswers({ redis: reads, rainCache, onFault });
  // After a reconnect the server may be another one, or may have changed without an event.
  for (const connection of connections) connection.on('close', () => localAnswers.forget());
  const overload = openOverloadControl({ limits, redis: reads, now, log, onFault, times });
  const forgeries = openForgedPackets({ redis: grabs, signer, counters, log, onFault });
  const engine = pipeline(
    [
      epochGate.busyUntilCompared, overload.roundTrips.measured, gatewayDurability.busyWhileRestoring,
      (inner) => verifiedEngine(inner, forgeries), gatewayDurability.confirmedByReplicas,
    ],
    createGrabEngine(grabs, (error) => {
      gatewayDurability.onEngineFault();
      onFault(error);
    }),
  );
  const batcher = new Batcher<PendingGrab>(engine, (pending, rainId, given, shard) => {
    if (given.code === '-1' || given.code === '-2' || given.code === '-3') localAnswers.heardNo(rainId);
    answer(pending, rainId, 'amount' in given ? gatewayDurability.remember(rainId, shard, pending.userId, given) : given, context);
  }, limits.grabsPendingMax, (batch) => {
    times.answers.add((batch.answeredAt - batch.openedAt) / 1_000, batch.pendingGrabs.length);
    if (traces) traceWins(traces, batch);
  });
  const fairStart = new FairStart({
    fairStartMs: limits.fairStartMs, batcher, rainCache, onGathered: () => { counters.gathered++; },
    answer: (pending, rainId, given) => answer(pending, rainId, given, context), ...(options.chance && { chance: options.chance }),
  });
  const rateLimiter = new RateLimiter(limits, counters);
  const challenges = options.challenges && new Challenges(options.challenges, { limits, counters, now, pressed: options.pressed ?? (() => overload.pressure.pressed) });
  const blocklist = new Blocklist({ redis: reads, now, onFault, onChange: () => hub.each((session) => disconnectBlocked(session, blocklist, limits)) });
  const context: HandlerContext = { limits, hub, rainCache, batcher, fairStart, localAnswers, gatewayDurability, forgeries, signer, redis: reads, pendingReceipts: { count: 0 }, rateLimiter, blocklist, challenges, overload, counters, traces, onFault };

  function tell(snapshot: RainSnapshot, event: RainChange): void {
    fairStart.expect(snapshot);
    if (event === 'rain') {
      warnOfUnknownTerms(snapshot, log);
      forgeries.warnOfOtherKey(snapshot.rainId, rainCache.reading(snapshot.rainId)?.signedBy);
    }
    const frame = frameOf(encode(snapshot));
    const show = (session: Session) => send(session, frame, limits);
    // A new rain concerns every socket; a later change only the sockets that watch the rain.
    if (event === 'rain') hub.each(show);
    else hub.eachWatching(snapshot.rainId, show, event === 'change');
  }

  lifecycle.onClose('connections', () => { for (const connection of connections) connection.disconnect(); });
  for (const [name, part] of Object.entries({ gatewayDurability, epochGate, overload, blocklist, fairStart, rainCache })) lifecycle.onClose(name, () => part.close());
  /** Whether the connections for grabs and reads are ready. */
  const connected = () => grabs.status === 'ready' && reads.status === 'ready';
  return {
    context, blocklist, overload, times, connected,
    // What must answer for the gateway to be ready; not the connection for grabs, which a high load may make wait.
    parts: [
      { name: 'redis', ask: () => (connected() ? reads.ping() : Promise.reject(new Error('the connection is away'))) },
      { name: 'stores', ask: epochGate.ask },
    ],
    /** @throws when Redis is unreachable or not fit to hold wins, or when a script does not compile */
    async start(): Promise<void> {
      await Promise.all(connections.map((connection) => untilReady(connection)));
      await requireFit(reads, durability, log);
      await loadScripts(grabs);
      await epochGate.start();
      await rainCache.start();
      await blocklist.start();
      await overload.start();
      await subscribeToEvents(subscriber, context);
      started = true;
    },
  };
}
