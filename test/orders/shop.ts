import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECRET, verify } from '../credit/wallet.ts';

/** An order as the shop is told of it. */
interface ToldOrder {
  orderId: string;
  saleId: string;
  userId: string;
  sku: string;
  quantity: number;
  price: string;
  amount: string;
  ref?: string;
  at: string;
  payBy: string;
}

/** An order that has ended, as the shop is told of it. */
type ToldEnd = Pick<ToldOrder, 'orderId' | 'saleId' | 'userId'> & { status: string };

/**
 * How the shop treats one request. Behaviours with `take` in their name have taken the orders, once each, before they
 * misbehave; those with `lie` say so and have not.
 */
export type ShopBehaviour =
  | 'take'
  | 'takeThenHang'
  | 'takeThenClose'
  | 'takeThenCut'
  | 'takeTwice'
  | 'takeThenContradict'
  | 'hang'
  | 'close'
  | 'lie'
  | 'lieAboutOthers'
  | 'nonsense'
  | 'redirect'
  | 'retry'
  | 'refuse'
  | { status: number; headers?: Record<string, string>; body?: string };

export interface Shop {
  url: string;
  /**
   * The next requests with an order of this buyer meet these, in order, and then good manners; the last one stays when
   * `always`.
   */
  plan(userId: string, behaviours: ShopBehaviour[], always?: boolean): void;
  /** The orders it has taken, by order id; once each, as the contract says. */
  taken: Map<string, ToldOrder>;
  /** Orders of which it knows that they have ended, by order id, with the status that it was told. */
  ended: Map<string, ToldEnd>;
  /** Every such request that proved itself: ids of orders. */
  toldEnded: string[][];
  /** Every other request that proved itself. */
  asked: { key: string; orders: string[]; at: number }[];
  /**
   * Requests under way at once, at most; those that did not prove themselves; orders that were told otherwise than
   * before.
   */
  seen: { atOnceMax: number; unsigned: number; changed: number };
  stop(): Promise<void>;
}

/**
 * An order service of a shop that remembers its orders and can misbehave in every other way. A real server on a free
 * port.
 */
export async function startShop({ answerMs = 0 } = {}): Promise<Shop> {
  const plans = new Map<string, { behaviours: ShopBehaviour[]; always: boolean }>();
  const taken: Shop['taken'] = new Map();
  const ended: Shop['ended'] = new Map();
  const toldEnded: Shop['toldEnded'] = [];
  const asked: Shop['asked'] = [];
  const seen = { atOnceMax: 0, unsigned: 0, changed: 0 };
  const told = new Map<string, string>();
  let under = 0;

  function next(orders: readonly { userId: string }[]): ShopBehaviour {
    const plan = orders.map(({ userId }) => plans.get(userId)).find((found) => found && found.behaviours.length > 0);
    if (!plan) return 'take';
    return plan.always && plan.behaviours.length === 1 ? plan.behaviours[0]! : plan.behaviours.shift()!;
  }

  const each = (orders: readonly { orderId: string }[], status: string, reason?: string) =>
    orders.map(({ orderId }) => ({ orderId, status, ...(reason !== undefined && { reason }) }));

  async function behave<Told extends { orderId: string }>(
    behaviour: ShopBehaviour,
    orders: readonly Told[],
    into: Map<string, Told>,
    response: ServerResponse,
  ): Promise<void> {
    const take = (some: readonly Told[]) =>
      some.map((order) => {
        const before = into.has(order.orderId);
        into.set(order.orderId, order);
        return { orderId: order.orderId, status: before ? 'already' : 'done' };
      });
    const answer = (results: unknown[]) => void response.end(JSON.stringify({ results }));
    if (typeof behaviour === 'object')
      return void response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '');
    switch (behaviour) {
      case 'take':
        await sleep(answerMs);
        return answer(take(orders));
      case 'takeThenHang':
        take(orders);
        return;
      case 'takeThenClose':
        take(orders);
        return void response.socket!.destroy();
      case 'takeThenCut': {
        const text = JSON.stringify({ results: take(orders) });
        response.writeHead(200, { 'content-length': text.length }).write(text.slice(0, text.length / 2));
        await sleep(20);
        return void response.socket!.destroy();
      }
      case 'takeTwice':
        return answer([...take(orders), ...each(orders, 'done')]);
      case 'takeThenContradict':
        return answer([...take(orders), ...each(orders, 'refused', 'no, after all')]);
      case 'hang':
        return;
      case 'close':
        return void response.socket!.destroy();
      case 'lie':
        return void response.end('<html>We will be back soon</html>');
      case 'lieAboutOthers':
        return answer([
          { orderId: 'somebody-1', status: 'done' },
          7,
          { orderId: orders[0]!.orderId, status: 'perhaps' },
        ]);
      case 'nonsense':
        return void response.end('{"results":[{"orderId":');
      case 'redirect':
        return void response.writeHead(302, { location: '/elsewhere' }).end();
      case 'retry':
        return answer(each(orders, 'retry', 'later'));
      case 'refuse':
        return answer(each(orders, 'refused', 'no such\naddress'));
      default:
        return behaviour satisfies never;
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (!verify(SECRET, request.headers, body)) return void (seen.unsigned++, response.writeHead(401).end());
    const { orders, ended: ends } = JSON.parse(body.toString()) as { orders?: ToldOrder[]; ended?: ToldEnd[] };
    if (!orders) {
      toldEnded.push(ends!.map(({ orderId }) => orderId));
      return behave(next(ends!), ends!, ended, response);
    }
    asked.push({
      key: String(request.headers['idempotency-key']),
      orders: orders.map(({ orderId }) => orderId),
      at: performance.now(),
    });
    for (const order of orders) {
      const text = JSON.stringify(order);
      if ((told.get(order.orderId) ?? text) !== text) seen.changed++;
      told.set(order.orderId, text);
    }
    return behave(next(orders), orders, taken, response);
  }

  const server = createServer((request, response) => {
    seen.atOnceMax = Math.max(seen.atOnceMax, ++under);
    response.once('close', () => {
      under--;
    });
    serve(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`,
    taken,
    ended,
    toldEnded,
    asked,
    seen,
    plan: (userId, behaviours, always = false) => void plans.set(userId, { behaviours, always }),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
