import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRainClient, RainRefused, type BuyOutcome, type Order, type RainClient } from '../../client/client.ts';
import { isDecided } from '../../client/orders.ts';
import { SALE_OUTCOMES } from '../../protocol/saleOutcomes.ts';
import { holdsUnits } from '../../sale/order.ts';
import { buyerSockets } from './buyerSocket.ts';
import type { BuyerEnvironment } from './environment.ts';
import type { BuyerPlan, PlannedPurchase } from './plan.ts';

/** Longest wait for a first connection, and for the order of a reservation or the message about a payment, ms. */
const CONNECT_MS_MAX = 30_000;
/** Purchases of one plan that came too early or into a pause are asked again this often [R10]. */
const OPENINGS_MAX = 20;
/** The share of the time to pay that must be left to begin: a payment that comes after it is a dead letter. */
const PAYING_SHARE_MIN = 0.5;

interface BuyerSelf {
  userId: string;
  plan: BuyerPlan;
  localAddress: string | undefined;
}

/** One simulated buyer. It plays with the published client, so the client is tested under load, too. */
export class Buyer {
  readonly #environment: BuyerEnvironment;
  readonly #self: BuyerSelf;
  readonly #aborted = new AbortController();
  readonly #client: RainClient;
  readonly #sockets: ReturnType<typeof buyerSockets>;
  /** Reservations that this buyer's own purchases have made. */
  readonly #bought = new Set<string>();
  #visitedAt = Infinity;
  #closing = false;

  constructor(environment: BuyerEnvironment, self: BuyerSelf) {
    this.#environment = environment;
    this.#self = self;
    const { counters, address, tokenFor, now } = environment;
    this.#sockets = buyerSockets(self.localAddress, (reason) => {
      if (!this.#aborted.signal.aborted) counters.lastFailure = reason;
    });
    this.#client = createRainClient({
      url: address.href,
      token: () => tokenFor(self.userId),
      WebSocket: this.#sockets.WebSocket,
      now,
      async solve(challenge) {
        const solved = await solveChallenge({ challenge, deriveKey });
        return solved ? { counter: solved.counter, derivedKey: solved.derivedKey } : undefined;
      },
    });
    let isUp = false;
    this.#client.on('link', ({ link }) => {
      if (isUp !== (link === 'up')) counters.progress.connected += link === 'up' ? 1 : -1;
      if (isUp && !this.#closing) counters.lostConnections++;
      isUp = link === 'up';
      if (isUp) counters.welcomes++;
    });
    this.#client.on('order', ({ saleId, ...order }) => {
      if (saleId === environment.saleId) counters.told.add(self.userId, order);
    });
    this.#client.on('buying', ({ why }) => {
      if (why !== 'sent' && why !== 'preparing') counters.retries.add(why);
    });
    this.#client.on('error', ({ code }) => {
      if (self.plan.hostile && code === 'bad_field') counters.hostile.refused++;
      else counters.misunderstood++;
    });
  }

  /** Never rejects but with what `tokenFor` throws. */
  async run(): Promise<void> {
    const { counters } = this.#environment;
    try {
      counters.endings.add(await this.#play());
    } catch (fault) {
      if (!this.#aborted.signal.aborted && !(fault instanceof RainRefused)) throw fault;
      counters.endings.add(fault instanceof RainRefused ? `refused: ${fault.code}` : 'aborted');
    } finally {
      counters.progress.ended++;
      this.#closing = true;
      this.#client.close();
    }
  }

  abort(): void {
    this.#aborted.abort(new Error('aborted'));
  }

  async #play(): Promise<string> {
    const { throttle, saleId, counters } = this.#environment;
    const { signal } = this.#aborted;
    const { plan } = this.#self;
    if (!(await throttle.pass())) return 'aborted';
    try {
      await this.#client.connect({ signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS_MAX)]) });
    } catch (fault) {
      if (fault instanceof DOMException && fault.name === 'TimeoutError') return 'unreachable';
      throw fault;
    }
    const visited = await this.#client.visit(saleId, { signal });
    if (visited.kind === 'refused') return visited.reason;
    this.#visitedAt = visited.sale.serverTime;
    if (!(await this.#untilOpen())) return 'ended';
    await sleep(plan.reactionMs, undefined, { signal });
    if (plan.hostile && this.#sockets.sendRaw(plan.hostile(saleId, visited.sale.items[0]!.sku)))
      counters.hostile.sent++;
    const afterwards: Promise<void>[] = [];
    for (const [n, purchase] of plan.purchases.entries()) {
      const order = await this.#buy(purchase, n);
      if (order) afterwards.push(this.#act(order, purchase));
    }
    counters.progress.answered++;
    await Promise.all(afterwards);
    this.#checkOwn();
    return 'done';
  }

  /** @returns false when the sale is over */
  async #untilOpen(): Promise<boolean> {
    const { saleId, maximalWaitMs } = this.#environment;
    for (;;) {
      const sale = this.#client.sale(saleId)!;
      if (sale.state === 'open') return true;
      if (sale.state === 'closed' || sale.state === 'settled') return false;
      const next = sale.state === 'loaded' ? sale.opensAt : sale.closesAt;
      await this.#change('sale', Math.min(maximalWaitMs, Math.max(1, next - this.#client.serverNow())));
    }
  }

  async #buy({ pick, quantity, repeats }: PlannedPurchase, n: number): Promise<Order | undefined> {
    const { saleId, seed, now, counters } = this.#environment;
    const { items } = this.#client.sale(saleId)!;
    const item = items[pick % items.length]!;
    const purchase = {
      sku: item.sku,
      quantity: Math.min(quantity, item.perOrderMax ?? quantity),
      ref: `${seed.slice(0, 16)}-${n}`,
    };
    const ask = () => this.#client.buy(saleId, purchase, { signal: this.#aborted.signal });
    let outcome: BuyOutcome;
    for (let tries = 1; ; tries++) {
      const askedAt = now();
      outcome = await ask();
      counters.buys.record(now() - askedAt);
      if ((outcome.kind !== 'not_started' && outcome.kind !== 'paused') || tries === OPENINGS_MAX) break;
      counters.retries.add(outcome.kind === 'paused' ? SALE_OUTCOMES['-4'].code : SALE_OUTCOMES['-2'].code);
      if (!(await this.#untilOpen())) break;
    }
    counters.outcomes.add(outcome.kind);
    const first = this.#take(outcome, purchase);
    if (!repeats) return first;
    counters.repeats.asked++;
    const second = this.#take(await ask(), purchase);
    if (first && second?.reservationId === first.reservationId) counters.repeats.same++;
    else if (first && second)
      counters.told.fault(
        `${this.#self.userId} was told ${first.reservationId} and then ${second.reservationId} for one ref`,
      );
    return second ?? first;
  }

  /** The order of the outcome, if there is one, compared with what was asked for. */
  #take(outcome: BuyOutcome, { sku, quantity }: { sku: string; quantity: number }): Order | undefined {
    if (outcome.kind !== 'reserved' && outcome.kind !== 'already_reserved') return undefined;
    const { kind: _, ...order } = outcome;
    const { counters } = this.#environment;
    const { userId } = this.#self;
    if (order.sku !== sku || order.quantity !== quantity)
      counters.told.fault(`${userId} asked for ${quantity} × ${sku} and was told ${order.quantity} × ${order.sku}`);
    this.#bought.add(order.reservationId);
    return order;
  }

  async #act({ reservationId }: Order, { intention }: PlannedPurchase): Promise<void> {
    const { saleId, now, counters, payments, settleMs } = this.#environment;
    if (intention === 'nothing') return;
    if (intention === 'cancel') {
      const askedAt = now();
      const outcome = await this.#client.cancel(saleId, reservationId, { signal: this.#aborted.signal });
      counters.cancels.record(now() - askedAt);
      return counters.cancelled.add(outcome.kind);
    }
    if (!payments) return counters.paid.add('skipped');
    const order = await this.#orderWhen(reservationId, ({ status }) => status !== 'reserved', settleMs);
    if (order?.status !== 'created')
      return counters.paid.add(order && holdsUnits(order.status) ? 'not_created_in_time' : 'released_before');
    const paidAt = now();
    const lastStart = order.payBy - PAYING_SHARE_MIN * this.#client.sale(saleId)!.holdMs;
    const paid = await payments.pay(reservationId, () => this.#client.serverNow() < lastStart);
    counters.paid.add(paid);
    const told = await this.#orderWhen(reservationId, isDecided, paid === 'accepted' ? settleMs : 0);
    if (told?.status === 'paid') counters.payments.record(now() - paidAt);
    else if (paid === 'accepted') counters.paid.add(`accepted, told ${told?.status ?? 'nothing'}`);
  }

  /** The order once it is as it should be; after `withinMs` as it is then. */
  async #orderWhen(
    reservationId: string,
    isThere: (order: Order) => boolean,
    withinMs: number,
  ): Promise<Order | undefined> {
    const { saleId, now } = this.#environment;
    const until = now() + withinMs;
    for (;;) {
      const order = this.#client.orders(saleId).find((one) => one.reservationId === reservationId);
      const leftMs = until - now();
      if (leftMs <= 0 || (order && isThere(order))) return order;
      await this.#change('order', leftMs);
    }
  }

  /** Resolves at the next event of this name, or after this time. */
  async #change(name: 'sale' | 'order', withinMs: number): Promise<void> {
    const came = new AbortController();
    const stop = this.#client.on(name, () => came.abort());
    await sleep(withinMs, undefined, { signal: AbortSignal.any([came.signal, this.#aborted.signal]) }).catch(() => {});
    stop();
    this.#aborted.signal.throwIfAborted();
  }

  /** No order that was reserved since the visit may come from anything but the buyer's own purchases. */
  #checkOwn(): void {
    const { saleId, counters } = this.#environment;
    const { holdMs } = this.#client.sale(saleId)!;
    for (const { reservationId, payBy } of this.#client.orders(saleId)) {
      if (!this.#bought.has(reservationId) && payBy - holdMs >= this.#visitedAt)
        counters.told.fault(`${this.#self.userId} was told ${reservationId}, for which it did not ask`);
    }
  }
}
