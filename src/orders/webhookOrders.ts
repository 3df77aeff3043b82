import { TokenBucket } from 'limiter';
import { excerpt } from '../credit/walletAnswer.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import { ofHttpStatus } from '../platform/network/retryable.ts';
import {
  postSigned,
  type SignedAddress,
  type SignedReply,
  type SignedRequest,
} from '../platform/network/signedPost.ts';
import type { OrderService, ServiceOutcome } from './orderService.ts';
import { endedRequest, orderRequest, readOrderResults, type OrderResult } from './shopMessage.ts';

export interface WebhookOrdersOptions extends SignedAddress {
  /** Orders per request. */
  batchMax: number;
  /** Orders per second of all jobs of this process, and concurrent requests: both protect the shop [R10]. */
  ordersPerSecond: number;
  requestsMax: number;
}

/**
 * The order service of a shop, behind a signed webhook. Only an answer that names an order decides about it: a status
 * alone may come from a proxy or a wrong address, and an order that fails is gone for good.
 */
export function webhookOrders({ batchMax, ordersPerSecond, requestsMax, ...shop }: WebhookOrdersOptions): OrderService {
  const inSlot = createSemaphore(requestsMax);
  const pace = new TokenBucket({ bucketSize: ordersPerSecond, tokensPerInterval: ordersPerSecond, interval: 'second' });
  const perRequest = Math.min(batchMax, ordersPerSecond);

  /**
   * A request that is refused as a whole is halved, so that an order which the shop cannot read is alone in the end and
   * delays no other.
   */
  async function ask<Order extends { id: string }>(
    orders: readonly Order[],
    requestOf: (some: readonly Order[]) => SignedRequest,
  ): Promise<[string, ServiceOutcome][]> {
    const reply = await inSlot(async () => {
      await pace.removeTokens(orders.length);
      return postSigned(shop, requestOf(orders));
    });
    const { outcomeOf, isRefusal } = read(reply);
    if (!isRefusal || orders.length === 1) return orders.map(({ id }) => [id, outcomeOf(id)]);
    const middle = Math.ceil(orders.length / 2);
    return [...(await ask(orders.slice(0, middle), requestOf)), ...(await ask(orders.slice(middle), requestOf))];
  }

  return {
    async post(saleId, orders) {
      const outcomes = new Map(
        (
          await Promise.all(partsOf(orders, perRequest).map((some) => ask(some, (part) => orderRequest(saleId, part))))
        ).flat(),
      );
      return orders.map(({ id }) => outcomes.get(id)!);
    },
    // One request after the other, so that new orders need not wait for them.
    async tell(saleId, ended) {
      const outcomes = new Map<string, ServiceOutcome>();
      let refusedInRow = 0;
      for (const some of partsOf(ended, perRequest)) {
        const told = await ask(some, (part) => endedRequest(saleId, part));
        for (const [id, outcome] of told) outcomes.set(id, outcome);
        refusedInRow = told.every(([, { outcome }]) => outcome === 'reconsumeLater') ? refusedInRow + 1 : 0;
        if (refusedInRow === REFUSED_IN_ROW_MAX) break;
      }
      return ended.map(
        ({ id }) =>
          outcomes.get(id) ?? {
            outcome: 'reconsumeLater',
            detail: 'it was not asked, since it took none of the others',
          },
      );
    },
  };
}

/** An order that occurs twice is sent once. */
function partsOf<Order extends { id: string }>(orders: readonly Order[], size: number): Order[][] {
  const unique = [...new Map(orders.map((order) => [order.id, order])).values()];
  return Array.from({ length: Math.ceil(unique.length / size) }, (_, i) => unique.slice(i * size, (i + 1) * size));
}

/** After so many requests of which it took nothing, the shop is asked for the rest later: it may be down. */
const REFUSED_IN_ROW_MAX = 3;

interface Read {
  outcomeOf(orderId: string): ServiceOutcome;
  /** A final answer that names no order. */
  isRefusal: boolean;
}

function read(reply: SignedReply): Read {
  const later = (detail: string, afterMs?: number): ServiceOutcome => ({
    outcome: 'reconsumeLater',
    detail,
    ...(afterMs !== undefined && { afterMs }),
  });
  if (reply.kind === 'silent') return { outcomeOf: () => later(`the shop: ${reply.detail}`), isRefusal: false };
  const { status, text, afterMs } = reply;
  const detail = `the shop answered ${status}${text === undefined ? ', and its answer was cut off or too long' : text && `: ${excerpt(text)}`}`;
  const verdict = ofHttpStatus(status);
  // The rest of an answer that is cut off may say otherwise.
  if (text === undefined || verdict === 'again') return { outcomeOf: () => later(detail, afterMs), isRefusal: false };
  const results = readOrderResults(text) ?? new Map<string, OrderResult>();
  return {
    isRefusal: verdict === 'giveUp' && results.size === 0,
    outcomeOf(orderId) {
      const result = results.get(orderId);
      if (!result)
        return later(
          `${detail}; the order is not in its answer, expected ${JSON.stringify({ results: [{ orderId, status: 'done' }] })}`,
        );
      const said = `the shop said ${result.status}${result.reason ? `: ${excerpt(result.reason)}` : ''}`;
      switch (result.status) {
        case 'done':
        case 'already':
          return verdict === 'giveUp' ? later(`${said}, and answered ${status}`) : { outcome: 'commit' };
        case 'retry':
          return later(said);
        case 'refused':
          return { outcome: 'giveUp', reason: 'failed', detail: said };
        default:
          return result.status satisfies never;
      }
    },
  };
}
