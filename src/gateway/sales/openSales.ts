import { isOver } from '../../rain/rain.ts';
import { warnOfUnknownTerms } from '../rains/terms.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { Batcher } from '../../grab/batcher.ts';
import { confirmedReserveEngine } from '../../grab/confirmReservations.ts';
import type { SentReservation } from '../../grab/restoreReservations.ts';
import { createReserveEngine, SALE_BUSY, type ReserveAnswer, type ReserveEngine } from '../../grab/reserve.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { encode } from '../../protocol/codec.ts';
import type { SaleSnapshot } from '../../protocol/saleMessages.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { ticketRulesText } from '../../rain/ticketRules.ts';
import type { OwnTicketRules } from '../challenge/rules.ts';
import type { Hub } from '../broadcast/hub.ts';
import type { GatewayDurability } from '../durability/durability.ts';
import type { ForgedReservations } from '../durability/forgedReservations.ts';
import type { Limits } from '../limits.ts';
import type { OverloadControl } from '../overload/overload.ts';
import { FairStart, type FairStartRules } from '../rains/fairStart.ts';
import type { RainCache } from '../rains/rainCache.ts';
import type { SnapshotChange } from '../rains/snapshotCache.ts';
import { frameOf } from '../sockets/frame.ts';
import { entitled, isListedFor } from '../rains/visibility.ts';
import { send } from '../sockets/session.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';
import type { Times } from '../telemetry/times.ts';
import { answerPurchase, type PendingPurchase } from './pendingPurchase.ts';
import { OrderWaits } from './orderWaits.ts';
import { Restocks } from './restocks.ts';
import { SaleAnswers } from './saleAnswers.ts';
import { SaleCache } from './saleCache.ts';
import { saleName } from './saleName.ts';
import { Undecided } from './undecided.ts';

interface SalesRules {
  /** The connection of grabs and purchases. */
  grabs: RedisClient;
  reads: RedisClient;
  hub: Hub;
  ownTicketRules: OwnTicketRules;
  /** Redis's clock as estimated here. */
  clock: Pick<RainCache, 'now' | 'clockErrorMs'>;
  /** As of rains. */
  starting: Pick<FairStartRules<PendingPurchase>, 'fairStartMs' | 'clock' | 'onGathered' | 'chance'>;
  gatewayDurability: Pick<
    GatewayDurability,
    'confirmHeld' | 'restoring' | 'rememberReservation' | 'onEngineFault' | 'closed' | 'doubt'
  >;
  forged: ForgedReservations;
  epochGate: { readonly shut: boolean };
  overload: Pick<OverloadControl, 'admission' | 'roundTrips'>;
  limits: Limits;
  counters: GatewayCounters;
  times: Times;
  log: Logger;
  onFault: (error: unknown) => void;
}

const NOT_STARTED: ReserveAnswer = { code: '-2' };

export type Sales = ReturnType<typeof openSales>;

/** A gateway's knowledge of sales, and the way of a purchase to Redis and back. */
export function openSales({
  grabs,
  reads,
  hub,
  ownTicketRules,
  clock,
  starting,
  gatewayDurability,
  forged,
  epochGate,
  overload,
  limits,
  counters,
  times,
  log,
  onFault,
}: SalesRules) {
  const restocks = new Restocks({
    now: () => clock.now(),
    tell(userIds, message) {
      const frame = frameOf(encode(message));
      const sale = cache.reading(message.saleId);
      hub.these(
        [...userIds].flatMap((userId) => entitled(hub.of(userId), 'sales', message.saleId, sale)),
        (session) => send(session, frame, limits),
      );
    },
  });
  const cache = new SaleCache({
    redis: reads,
    clock: () => clock.now(),
    ticketRules: ownTicketRules,
    onFault,
    restMs: () => hub.restMs,
    onChange: tell,
    onRead: (sale) => restocks.look(sale),
    // Perhaps its line was never cut.
    onLost: () => gatewayDurability.doubt(),
    onLeft: ({ saleId }) => restocks.forget(saleId),
  });
  const localAnswers = new SaleAnswers({ redis: reads, cache, clock, onFault });
  const undecided = new Undecided(limits);
  const reserving = createReserveEngine(
    grabs,
    forged,
    (error) => {
      gatewayDurability.onEngineFault();
      onFault(error);
    },
    (saleId) => ticketRulesText(cache.reading(saleId)?.ticketRules),
  );
  /** Measured without the wait for replicas, as grabs are. */
  const confirmed = confirmedReserveEngine(
    {
      reserve: (saleId, purchases) =>
        overload.roundTrips.measure(purchases.length, () => reserving.reserve(saleId, purchases)),
    },
    gatewayDurability.confirmHeld,
  );
  /** Redis may hold less than buyers were told. */
  const isRestoring = (saleId: string) =>
    epochGate.shut || cache.isLost(saleId) || gatewayDurability.restoring(saleKeys(saleId).state);
  const engine: ReserveEngine = {
    reserve: async (saleId, purchases) =>
      isRestoring(saleId) ? purchases.map(() => SALE_BUSY) : await confirmed.reserve(saleId, purchases),
  };
  const answerContext = { counters, admission: overload.admission };

  /** Every purchase is answered here, whoever has decided it. */
  function answer(pending: PendingPurchase, given: ReserveAnswer): void {
    if (given.code === '-1' || given.code === '-12') restocks.add(pending.saleId, pending.sku, pending.userId);
    answerPurchase(pending, given, cache.reading(pending.saleId), answerContext);
  }

  /** A reservation that Redis loses before its order is written exists nowhere else. */
  function remember({ saleId, userId, ref }: PendingPurchase, given: ReserveAnswer): void {
    if (!('reservationId' in given) || given.status !== 'reserved') return;
    const { reservationId, sku, quantity, payBy } = given;
    const sale = cache.reading(saleId);
    const price = sale?.bySku.get(sku)?.price;
    if (!sale || price === undefined) return;
    const told: SentReservation = {
      saleId,
      reservationId,
      userId,
      sku,
      quantity,
      price,
      at: payBy - sale.holdMs,
      payBy,
    };
    if (ref !== undefined) told.ref = ref;
    gatewayDurability.rememberReservation(told);
  }

  const batcher = new Batcher<PendingPurchase, ReserveAnswer>(
    { decide: (saleId, _shard, pending) => engine.reserve(saleId, pending), busy: SALE_BUSY },
    (pending, saleId, given) => {
      undecided.decided(pending);
      if (given.code === '-8' && cache.isUnsettled(saleId)) given = SALE_BUSY;
      if (given.code === '-1' || given.code === '-2' || given.code === '-3') localAnswers.heardNo(saleId);
      remember(pending, given);
      answer(pending, given);
    },
    limits,
    (batch) => times.answers.add((batch.answeredAt - batch.openedAt) / 1_000, batch.pending.length),
  );

  const fairStart = new FairStart<PendingPurchase>({
    ...starting,
    answerNotStarted: (pending) => answer(pending, NOT_STARTED),
    reading(saleId) {
      const sale = cache.reading(saleId);
      return sale && { readAtMonotonic: sale.readAtMonotonic, isUntouched: sale.made === 0 && sale.held === undefined };
    },
    batcher: { hold: () => batcher.hold(), addHeld: passOn },
  });

  /**
   * A gathered purchase, when its lot is drawn. The limit of undecided ones holds for it, too: those that are drawn
   * last are asked again.
   */
  function passOn(saleId: string, shards: number, pending: PendingPurchase): void {
    const sale = cache.reading(saleId);
    if (!sale || undecided.admit(pending, sale)) return batcher.addHeld(saleId, shards, pending);
    batcher.release();
    counters.refused.purchases_per_item++;
    answer(pending, SALE_BUSY);
  }

  function tell(snapshot: SaleSnapshot, event: SnapshotChange): void {
    fairStart.expect(snapshot.saleId, snapshot);
    const frame = frameOf(encode(snapshot));
    const { saleId } = snapshot;
    const sale = cache.reading(saleId);
    if (event === 'announcement') warnOfUnknownTerms({ saleId }, sale?.unknownTerms ?? [], log);
    if (isOver(snapshot.state) && event !== 'left') gatewayDurability.closed({ saleId });
    const visibility = sale ?? { unlisted: true as const };
    hub.tell(
      saleName(saleId),
      event,
      (session) => send(session, frame, limits),
      ({ audience }) => isListedFor(audience, 'sales', saleId, visibility),
    );
  }

  return {
    cache,
    localAnswers,
    undecided,
    batcher,
    fairStart,
    answer,
    forged,
    confirmHeld: gatewayDurability.confirmHeld,
    isRestoring,
    orderWaits: new OrderWaits(limits),
    pendingCancels: { count: 0 },
  };
}
