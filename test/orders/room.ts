import { createReserveEngine, type Purchase } from '../../src/grab/reserve.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import type { NewSale } from '../../src/ledger/sales.ts';
import { announceOrders, announceRefused } from '../../src/orders/announce.ts';
import type { OrderLetter } from '../../src/orders/deadLetter.ts';
import { builtinOrders } from '../../src/orders/orderService.ts';
import { openOrderQueues, type OrderQueues } from '../../src/orders/queue.ts';
import { createOrderRelay } from '../../src/orders/relay.ts';
import { createOrderWorker, type OrderWorker, type OrderWorkerOptions } from '../../src/orders/worker.ts';
import { connectRedis, untilReady, type RedisClient } from '../../src/platform/redis/connect.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { parseReservation, type Reservation } from '../../src/sale/reservation.ts';
import { parseEvent, type ToldOrder } from '../../src/store/events.ts';
import { EVENTS_CHANNEL, QUEUE_PREFIX } from '../../src/store/keys.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { draftSale } from '../../src/store/sales.ts';
import { loadScripts } from '../../src/store/scripts.ts';
import { newSale } from '../ledger/contract-sales.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { signer } from '../support/signer.ts';
import { startDatabase } from '../support/servers/database.ts';
import { sharedRedis } from '../support/servers/sharedRedis.ts';

/** Redis, the queues and the ledger of one test file, all real; a relay, and workers on the queues. */
export interface OrderRoom {
  redisUrl: string;
  databaseUrl: string;
  redis: RedisClient;
  database: Database;
  ledger: Ledger;
  queues: OrderQueues;
  relay: ReturnType<typeof createOrderRelay>;
  /** Everything that gateways were told of orders. */
  heard: ToldOrder[];
  /** Creates a sale in ledger and Redis, open. */
  openSale(id: string, differing?: Partial<NewSale>): Promise<void>;
  /** The same in Redis only: the ledger was restored to a time before it. */
  openUnbooked(id: string): Promise<void>;
  /** @returns the codes of the answers */
  buy(saleId: string, purchases: readonly Purchase[]): Promise<string[]>;
  /** The reservation log, oldest first. */
  reservations(saleId: string): Promise<Reservation[]>;
  /** Puts an entry into the reservation log as a hand may have done. */
  forge(saleId: string, entry: string | Reservation): Promise<void>;
  work(options?: Partial<OrderWorkerOptions>): OrderWorker;
  /** Carries the logs to the queue. */
  carry(): Promise<void>;
  /** Until the queues have nothing left to do. */
  drained(): Promise<void>;
  /** Closes the workers; after every test, or they would work for the next. */
  rest(): Promise<void>;
  letters(saleId: string): Promise<OrderLetter[]>;
  stop(): Promise<void>;
}

const ignore = () => {};

export async function openOrderRoom(): Promise<OrderRoom> {
  const [server, databaseServer] = await Promise.all([sharedRedis(), startDatabase()]);
  const redis = await connect(server.url);
  const connection = connectRedis(server.url, { purpose: 'queue', onError: ignore });
  const subscriber = connectRedis(server.url, { purpose: 'subscriber', onError: ignore });
  await Promise.all([untilReady(connection), untilReady(subscriber), loadScripts(redis)]);
  const heard: ToldOrder[] = [];
  subscriber.on('message', (_channel: string, frame: string) => {
    const event = parseEvent(frame);
    if (event?.type === 'orders') heard.push(...event.orders);
  });
  await subscriber.subscribe(EVENTS_CHANNEL);
  const database = connectDatabase(databaseServer.url);
  const ledger = openLedger(database);
  const options = { connection, prefix: QUEUE_PREFIX, onError: ignore };
  const queues = openOrderQueues(options);
  const relay = createOrderRelay({ redis, queue: queues.orders, log: createLog('relay', 'silent') });
  const workers: OrderWorker[] = [];
  const rest = async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close(1_000)));
  };
  const undone = async () =>
    (
      await Promise.all(
        [queues.orders, queues.later].map((queue) => queue.getJobCountByTypes('waiting', 'active', 'delayed')),
      )
    ).reduce((sum, jobs) => sum + jobs, 0);
  async function open({ id, title, opensAt, closesAt, holdMs, items }: NewSale): Promise<void> {
    await draftSale(redis, { saleId: id, title, opensAt, closesAt, holdMs, items });
    await redis.hset(saleKeys(id).state, 'state', 'loaded');
  }
  return {
    redisUrl: server.url,
    databaseUrl: databaseServer.url,
    redis,
    database,
    ledger,
    queues,
    relay,
    heard,
    rest,
    async openSale(id, differing = {}) {
      const sale = newSale(id, differing);
      await ledger.createSale(sale, 'ann');
      await open(sale);
      await ledger.record({ actor: 'ann', verb: 'load', rainId: id });
    },
    openUnbooked: (id) => open(newSale(id)),
    async buy(saleId, purchases) {
      const engine = createReserveEngine(redis, signer, (fault) => {
        throw fault;
      });
      return (await engine.reserve(saleId, purchases)).map(({ code }) => code);
    },
    reservations: async (saleId) =>
      (await redis.lrange(saleKeys(saleId).reservations, 0, -1)).reverse().map((entry) => {
        const parsed = parseReservation(entry);
        if (!parsed.ok) throw new Error(parsed.reason);
        return parsed.reservation;
      }),
    async forge(saleId, entry) {
      await redis.lpush(saleKeys(saleId).reservations, typeof entry === 'string' ? entry : JSON.stringify(entry));
    },
    work(differing = {}) {
      const worker = createOrderWorker({
        ...options,
        redis,
        signer,
        ledger,
        service: builtinOrders,
        log: createLog('orders', 'silent'),
        backoff: { firstDelayMs: 10, delayMsMax: 100 },
        onCreated: (saleId, created) => announceOrders(redis, signer, saleId, created),
        onRefused: (saleId, refused) => announceRefused(redis, signer, saleId, refused),
        ...differing,
      });
      workers.push(worker);
      return worker;
    },
    async carry() {
      while ((await relay.round()) !== 'idle');
    },
    drained: () => eventually(async () => (await undone()) === 0).then(ignore),
    letters: async (saleId) =>
      (await queues.dead.getJobs(['waiting']))
        .map(({ data }) => data)
        .filter((letter) => letter.saleId === saleId)
        .sort((a, b) => a.index - b.index),
    async stop() {
      await rest();
      await relay.stop();
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      await database.$disconnect();
      for (const one of [redis, connection, subscriber]) one.disconnect();
      await Promise.all([server.stop(), databaseServer.stop()]);
    },
  };
}

/** Users u0, u1 … buy one tee each. */
export const buyersOf = (from: number, to: number): Purchase[] =>
  Array.from({ length: to - from }, (_, i) => ({ userId: `u${from + i}`, sku: 'tee', quantity: 1 }));

/** As a gateway signs it, or somebody who has the key. */
export function signed<R extends Reservation>(reservation: R): R {
  return { ...reservation, mac: signer.reservationMac(reservation) };
}
