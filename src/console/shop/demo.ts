import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { postSigned } from '../../platform/network/signedPost.ts';
import { readJson } from '../../rain/json.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import { reservationIdText } from '../../sale/ids.ts';
import { refusalFor, REFUSALS, refuse, SHOP_REFUSALS } from '../refusals.ts';
import { isForeign } from '../session/authenticate.ts';
import { REPORT_PATH } from './reports.ts';

/** Each limit protects this process: thousands of simulated buyers may pay from one address [R10]. */
const LIMITS = {
  perMinutePerAddress: 120_000,
  reportsAtOnceMax: 64,
  reportMsMax: 5_000,
  triesMax: 20,
  pauseMs: 200,
} as const;

interface DemoShopOptions {
  /** ORDER_WEBHOOK_SECRET. */
  secret: string;
  /** The address of this console, `http://…`. */
  ownUrl: () => string;
}

export const DEMO_PAY_PATH = '/api/demo-shop/pay';

const payRequest = z.strictObject({ reservationId: reservationIdText });

/**
 * A stand-in of the shop, for demos: whoever asks has paid. It reports the payment as a shop does, signed, and again
 * while it is told "not yet".
 */
export function serveDemoShop(server: FastifyInstance, { secret, ownUrl }: DemoShopOptions): void {
  const inSlot = createSemaphore(LIMITS.reportsAtOnceMax);

  async function report(orderId: string): ReturnType<typeof postSigned> {
    const url = `${ownUrl()}${REPORT_PATH.replace(':orderId', orderId)}`;
    for (let tries = 1; ; tries++) {
      const reply = await inSlot(() =>
        postSigned(
          { url, secret, timeoutMs: LIMITS.reportMsMax },
          { key: orderId, body: JSON.stringify({ orderId, status: 'paid' }) },
        ),
      );
      if (tries === LIMITS.triesMax || reply.kind === 'silent' || reply.status !== SHOP_REFUSALS.not_yet.status)
        return reply;
      await sleep(LIMITS.pauseMs);
    }
  }

  server.post(
    DEMO_PAY_PATH,
    { config: { rateLimit: { max: LIMITS.perMinutePerAddress, timeWindow: 60_000, groupId: 'demo-shop' } } },
    async (request, reply) => {
      if (isForeign(request)) return refuse(reply, REFUSALS.cross_origin);
      const body = payRequest.safeParse(request.body);
      if (!body.success) return refuse(reply, refusalFor([firstRefusal(body.error, 'request')], 'bad_request'));
      const answered = await report(body.data.reservationId);
      if (answered.kind === 'silent' || answered.text === undefined)
        return refuse(reply, SHOP_REFUSALS.unavailable, LIMITS.pauseMs);
      return reply.code(answered.status).header('cache-control', 'no-store').send(readJson(answered.text));
    },
  );
}
