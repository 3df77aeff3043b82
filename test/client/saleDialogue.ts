import type { Order } from '../../src/client/orders.ts';
import { SaleSession } from '../../src/client/saleSession.ts';
import type { ClientMessage } from '../../src/protocol/messages.ts';
import type { BuyMessage, OrderMessage, SaleSnapshot } from '../../src/protocol/saleMessages.ts';
import { SALE_OUTCOMES, type SaleOutcomeCode } from '../../src/protocol/saleOutcomes.ts';

export const TEE = {
  reservationId: 'autumn-7',
  sku: 'tee',
  quantity: 1,
  price: '19.90',
  status: 'reserved',
  payBy: 61_500,
} as const;
export const snapshot = (change: Partial<SaleSnapshot> = {}): SaleSnapshot => ({
  type: 'sale',
  saleId: 'autumn',
  title: 'Autumn',
  state: 'loaded',
  opensAt: 1_000,
  closesAt: 900_000,
  holdMs: 60_000,
  items: [{ sku: 'tee', price: '19.90', units: 10, left: 10 }],
  serverTime: 0,
  ...change,
});
export const order = (code: SaleOutcomeCode, more: Partial<OrderMessage> = {}): OrderMessage => ({
  type: 'order',
  saleId: 'autumn',
  code,
  reason: SALE_OUTCOMES[code].reason,
  ...more,
});

/** A session of one user, all that it has sent, and all that it has told. */
export function sit() {
  const sent: ClientMessage[] = [];
  const told = { orders: [] as Order[], buying: [] as string[] };
  const line = { up: true };
  const session = new SaleSession({
    saleId: 'autumn',
    now: () => Date.now(),
    random: () => 0.5,
    solve: async () => undefined,
    send: (message) => line.up && sent.push(message) > 0,
    onBuying: (_, why) => told.buying.push(why),
    onOrder: (one) => told.orders.push(one),
  });
  session.connected();
  const buys = () => sent.filter((message): message is BuyMessage => message.type === 'buy');
  return {
    session,
    sent,
    told,
    line,
    buys,
    of: (type: string) => sent.filter((message) => message.type === type),
    answer: (code: SaleOutcomeCode, more: Partial<OrderMessage> = {}) =>
      session.receiveOrder(order(code, { ref: buys().at(-1)!.ref!, ...more })),
  };
}

export const buy = (session: SaleSession, purchase = {}) => session.buy({ sku: 'tee', ...purchase }, undefined);
