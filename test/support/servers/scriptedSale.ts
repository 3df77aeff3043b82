import { z } from 'zod';
import { ModelSale } from '../../sale/modelSale.ts';
import { BEARER_PREFIX } from '../../../src/protocol/constants.ts';
import {
  SALE_CLIENT_MESSAGES,
  SALE_SERVER_MESSAGES,
  type BuyMessage,
  type CancelMessage,
  type OrderMessage,
} from '../../../src/protocol/saleMessages.ts';
import { SALE_OUTCOMES, type SaleOutcomeCode } from '../../../src/protocol/saleOutcomes.ts';
import { stateAt } from '../../../src/rain/rain.ts';
import type { Item } from '../../../src/sale/item.ts';
import { reservationId, reservationOrdinal } from '../../../src/sale/ids.ts';
import type { OrderStep } from '../../../src/sale/order.ts';
import { scriptedGateway, welcomeOf, type Visit } from './scriptedGateway.ts';

const clientMessage = z.discriminatedUnion('type', [
  SALE_CLIENT_MESSAGES.visit,
  SALE_CLIENT_MESSAGES.buy,
  SALE_CLIENT_MESSAGES.cancel,
]);

interface SaleScript {
  items: Item[];
  perUserMax?: number;
  saleId?: string;
  opensAt?: number;
  closesAt?: number;
  holdMs?: number;
  /**
   * The fate of a purchase besides its decision: `lost` answers nothing, `cut` loses the connection after it, a code
   * replaces the decision.
   */
  onBuy?: (
    message: BuyMessage,
    asked: number,
  ) => 'lost' | 'cut' | { code: SaleOutcomeCode; retryInMs?: number } | undefined;
  /** Orders are written at once, unless the test does it. */
  writesOrders?: boolean;
}

type ScriptedSale = Awaited<ReturnType<typeof scriptedSale>>;
export type { ScriptedSale };

/**
 * A gateway with one sale in memory, which decides as the model does and speaks exactly as the schemas of the protocol
 * say.
 */
export async function scriptedSale({
  items,
  perUserMax = 3,
  saleId = 'autumn',
  opensAt = Date.now() - 1_000,
  closesAt = Date.now() + 600_000,
  holdMs = 60_000,
  onBuy = () => undefined,
  writesOrders = true,
}: SaleScript) {
  const model = new ModelSale(
    items.map((item) => ({ perOrderMax: 1_000, perUserMax: 1_000, ...item })),
    perUserMax,
  );
  const visitors = new Map<string, Set<Visit>>();
  const counts = { buys: 0, badFields: 0 };

  const order = (userId: string, code: SaleOutcomeCode, more: Partial<OrderMessage> = {}) => {
    const message = SALE_SERVER_MESSAGES.order.parse({
      type: 'order',
      saleId,
      code,
      reason: SALE_OUTCOMES[code].reason,
      ...more,
    });
    for (const visit of visitors.get(userId) ?? []) visit.say(JSON.stringify(message));
  };
  const factsOf = ({
    ordinal,
    sku,
    quantity,
    ref,
    status,
  }: ModelSale['reservations'][number]): Partial<OrderMessage> => ({
    reservationId: reservationId(saleId, ordinal),
    sku,
    quantity,
    ref,
    status,
    price: items.find((item) => item.sku === sku)!.price,
    payBy: opensAt + holdMs,
    ...(status === 'reserved' && { place: 1 }),
  });
  const say = () => ({
    type: 'sale',
    saleId,
    title: 'Autumn',
    state: stateAt({ state: 'loaded', opensAt, closesAt }, Date.now()),
    opensAt,
    closesAt,
    holdMs,
    perUserMax,
    serverTime: Date.now(),
    items: items.map(({ sku, price }) => ({
      sku,
      price,
      units: model.units.get(sku)!,
      left: model.units.get(sku)! - model.booked(sku),
    })),
  });

  /** The ledger's step of an order, and what its buyer hears. @returns whether it was allowed */
  function step(id: string, to: OrderStep | 'created'): boolean {
    const one = model.reservations[(reservationOrdinal(saleId, id) ?? 0) - 1];
    if (!one || !model.step(one, to, true)) return false;
    order(one.userId, '1', factsOf(one));
    return true;
  }

  function buy(userId: string, message: BuyMessage, visit: Visit): void {
    const fate = onBuy(message, ++counts.buys);
    if (typeof fate === 'object')
      return order(userId, fate.code, { ...(message.ref !== undefined && { ref: message.ref }), ...fate });
    const [code, ordinal] = model
      .reserve(userId, message.sku, String(message.quantity ?? 1), message.ref ?? '')
      .split(' ') as [SaleOutcomeCode, string?];
    if (fate === 'cut') visit.close(1012);
    if (fate === undefined)
      order(
        userId,
        code,
        ordinal === undefined
          ? {
              ...(message.ref !== undefined && { ref: message.ref }),
              ...(code === '-12' && { backAt: opensAt + holdMs }),
            }
          : factsOf(model.reservations[Number(ordinal) - 1]!),
      );
    if (code === '0' && writesOrders) step(reservationId(saleId, Number(ordinal)), 'created');
  }

  function cancel(userId: string, { reservationId: id }: CancelMessage): void {
    const one = model.reservations[(reservationOrdinal(saleId, id) ?? 0) - 1];
    if (one?.userId !== userId) return order(userId, '-14', { reservationId: id });
    order(userId, '1', factsOf(one));
    step(id, 'cancelled');
  }

  const users = new WeakMap<object, string>();
  const gateway = await scriptedGateway(
    (visit) => {
      const userId = userOf(visit);
      users.set(visit.request, userId);
      visitors.set(userId, (visitors.get(userId) ?? new Set()).add(visit));
      visit.request.socket.once('close', () => visitors.get(userId)?.delete(visit));
      visit.say(welcomeOf(userId));
    },
    (message, visit) => {
      const userId = users.get(visit.request)!;
      if (message.type === 'ping') return visit.say({ type: 'pong', t: message.t, serverTime: Date.now() });
      const parsed = clientMessage.safeParse(message);
      if (!parsed.success) {
        counts.badFields++;
        return visit.say({ type: 'error', code: 'bad_field', reason: 'a field is wrong' });
      }
      if (parsed.data.saleId !== saleId)
        return order(userId, '-8', {
          saleId: parsed.data.saleId,
          ...('ref' in parsed.data && { ref: parsed.data.ref }),
        });
      switch (parsed.data.type) {
        case 'visit':
          visit.say(JSON.stringify(SALE_SERVER_MESSAGES.sale.parse(say())));
          for (const one of model.reservations) if (one.userId === userId) order(userId, '1', factsOf(one));
          return;
        case 'buy':
          return buy(userId, parsed.data, visit);
        case 'cancel':
          return cancel(userId, parsed.data);
      }
    },
  );
  /** To everybody who visits. */
  const broadcast = (message: object) => {
    for (const some of visitors.values()) for (const visit of some) visit.say(JSON.stringify(message));
  };
  return { ...gateway, saleId, model, counts, step, broadcast, order };
}

/** The user of the token, which is not checked here. */
function userOf({ request }: Visit): string {
  const token = (request.headers['sec-websocket-protocol'] ?? '').split(BEARER_PREFIX)[1] ?? '';
  return (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sub: string }).sub;
}
