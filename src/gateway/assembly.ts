import { Batcher } from '../grab/batcher.ts';
import { loadScripts } from '../grab/scripts.ts';
import { encode } from '../protocol/codec.ts';
import type { RainSnapshot } from '../protocol/messages.ts';
import { unknownTerms } from '../rain/terms.ts';
import { DURABILITY_WAIT_MS, LOCAL } from '../runtime/durability.ts';
import type { Part } from '../runtime/health.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import { throttled } from '../runtime/log.ts';
import { connectRedis, untilReady } from '../runtime/redis.ts';
import { expectFit } from '../runtime/redisDemands.ts';
import { answer, type Asker } from './asker.ts';
import { Audience } from './audience.ts';
import { Blocklist, keepOut } from './guard/blocklist.ts';
import { Board, type RainNews } from './rains/board.ts';
import type { Door } from './door.ts';
import { Foregone } from './rains/foregone.ts';
import { frameOf } from './frame.ts';
import { openKeeping } from './keeping.ts';
import { LIMITS, type Limits } from './limits.ts';
import { followNews } from './news.ts';
import { Openings } from './rains/openings.ts';
import type { GatewayOptions } from './options.ts';
import { Pace } from './guard/pace.ts';
import { openRelief, type Relief } from './relief/relief.ts';
import { send, type Session } from './session.ts';
import { createTally } from './tally.ts';
import { createTimes, type Times } from './times.ts';
import { tellWins } from './trail.ts';
import { Wicket } from './wicket/wicket.ts';

/** Everything behind the door, put together: who knows the rains, who decides, who is kept out, what is given up. No socket is open yet. */
export interface Assembly {
  door: Door;
  blocklist: Blocklist;
  relief: Relief;
  /** Grabs can be asked for and rains be read. */
  connected(): boolean;
  /** What a gateway cannot do without. */
  parts: readonly Part[];
  /** How long what is done takes. */
  times: Times;
  /** @throws when Redis cannot be reached or is not fit to keep what is won, or a script does not compile */
  start(): Promise<void>;
}

export function assemble(options: GatewayOptions, lifecycle: Lifecycle): Assembly {
  const { redisUrl, log, durability = LOCAL, traces } = options;
  const limits: Limits = { ...LIMITS, ...options.limits };
  const tally = createTally();
  const times = createTimes();
  const report = throttled((error) => log.error({ err: error }, 'redis fault'));
  let started = false;
  const onFault = (error: unknown) => {
    tally.redisFaults++;
    // Until then whoever starts the gateway is told, by what is thrown.
    if (started) report(error);
  };
  // Grabs, reads and pub/sub have a connection each: a slow snapshot never stands before a grab.
  const grabs = connectRedis(redisUrl, { purpose: 'once', onError: onFault });
  const reads = connectRedis(redisUrl, { purpose: 'once', onError: onFault });
  const subscriber = connectRedis(redisUrl, { purpose: 'subscriber', onError: onFault });

  const audience = new Audience();
  const board = new Board({ redis: reads, onFault, restMs: () => audience.restMs, onChange: tell });
  const [now, clockErrorMs, reading] = [() => board.now(), () => board.clockErrorMs(), board.reading.bind(board)];
  const keeping = openKeeping({ redisUrl, redis: grabs, durability, waitMs: options.durabilityWaitMs ?? DURABILITY_WAIT_MS, now, log, onFault });
  const connections = [grabs, reads, subscriber, ...keeping.connections];
  const foregone = new Foregone({ redis: reads, reading, refresh: (rainId) => board.refresh(rainId), now, clockErrorMs, onFault });
  // What is known was read from a server that may be another now, or one that has changed unheard.
  for (const connection of connections) connection.on('close', () => foregone.forget());
  const relief = openRelief({ limits, redis: reads, now, log, onFault, times });
  const batcher = new Batcher<Asker>(relief.roundTrips.of(keeping.engine), (asker, rainId, given, shard) => {
    if (given.code === '-1' || given.code === '-2' || given.code === '-3') foregone.heardNo(rainId);
    else if (given.code === '0' || given.code === '1') keeping.remember(rainId, shard, asker.userId, given);
    answer(asker, rainId, given, door);
  }, limits.grabsPendingMax, (batch) => {
    times.answers.add((batch.answeredAt - batch.openedAt) / 1_000, batch.askers.length);
    if (traces) tellWins(traces, batch);
  });
  const openings = new Openings({
    fairStartMs: limits.fairStartMs, batcher, reading, now, clockErrorMs, onGathered: () => { tally.gathered++; },
    answer: (asker, rainId, given) => answer(asker, rainId, given, door), ...(options.chance && { chance: options.chance }),
  });
  const pace = new Pace(limits, tally);
  const wicket = options.wicket && new Wicket(options.wicket, { limits, tally, now, pressed: options.pressed ?? (() => relief.pressure.pressed) });
  const blocklist = new Blocklist({ redis: reads, now, onFault, onChange: () => audience.each((session) => keepOut(session, blocklist, limits)) });
  const door: Door = { limits, audience, board, batcher, openings, foregone, keeping, redis: reads, pace, blocklist, wicket, relief, tally, traces, onFault };

  function tell(snapshot: RainSnapshot, news: RainNews): void {
    openings.expect(snapshot);
    const terms = news === 'rain' && snapshot.terms ? unknownTerms(snapshot.terms) : [];
    if (terms.length > 0) log.warn({ rainId: snapshot.rainId, terms }, 'this gateway is too old for these terms of a rain, and grants nothing in it: run the version that the rain was made with');
    const frame = frameOf(encode(snapshot));
    const show = (session: Session) => send(session, frame, limits);
    // A rain planned while people wait is news for all of them; later changes only for who watches it.
    if (news === 'rain') audience.each(show);
    else audience.eachWatching(snapshot.rainId, show, news === 'change');
  }

  lifecycle.onClose('connections', () => { for (const connection of connections) connection.disconnect(); });
  for (const [name, part] of Object.entries({ keeping, relief, blocklist, openings, board })) lifecycle.onClose(name, () => part.close());
  const connected = () => grabs.status === 'ready' && reads.status === 'ready';
  return {
    door, blocklist, relief, times, connected,
    // Not the connection of the grabs: a load that makes them wait is no reason to take a gateway away from those who do.
    parts: [{ name: 'redis', ask: () => (connected() ? reads.ping() : Promise.reject(new Error('the connection is away'))) }],
    async start() {
      await Promise.all(connections.map((connection) => untilReady(connection)));
      await expectFit(reads, durability, log);
      await loadScripts(grabs);
      await board.start();
      await blocklist.start();
      await relief.start();
      await followNews(subscriber, door);
      started = true;
    },
  };
}
