import type { FastifyInstance, FastifyReply } from 'fastify';
import { orderReport, type ReportOutcome, type TakeReport } from '../../orders/reports.ts';
import { checkSignature } from '../../platform/auth/requestSignature.ts';
import { readSignedJson } from '../../platform/auth/signedJson.ts';
import { deadlineIn } from '../../platform/concurrency/deadline.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import { refusalFor, refuse, SHOP_REFUSALS, type Refusal } from '../refusals.ts';

/** Each limit protects this process, or the ledger, from a shop that repeats itself [R10]. */
const LIMITS = {
  perMinutePerAddress: 120_000,
  /** Reports in progress, each of which takes a step in the ledger. */
  reportsAtOnceMax: 500,
  answerMsMax: 4_000,
  retryMs: 1_000,
} as const;

/** Where a shop reports what became of an order. */
export const REPORT_PATH = '/api/shop/orders/:orderId';

export interface ShopOptions {
  /** ORDER_WEBHOOK_SECRET. */
  secret: string;
  takeReport: TakeReport;
  log: Logger;
  reportsAtOnceMax?: number;
}

/**
 * Serves a shop that reports payments, cancellations, refunds and failures of its orders. The signature is of the bytes
 * as they came.
 */
export async function serveShop(
  server: FastifyInstance,
  { secret, takeReport, log, reportsAtOnceMax = LIMITS.reportsAtOnceMax }: ShopOptions,
): Promise<void> {
  let inProgress = 0;
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post<{ Params: { orderId: string } }>(
      REPORT_PATH,
      { config: { rateLimit: { max: LIMITS.perMinutePerAddress, timeWindow: 60_000, groupId: 'shop' } } },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const signature = checkSignature(secret, request.headers, body, Date.now());
        if (signature !== 'signed')
          return refuse(reply, signature === 'old' ? SHOP_REFUSALS.old_timestamp : SHOP_REFUSALS.not_signed);
        const report = orderReport.safeParse(readSignedJson(body.toString()));
        if (!report.success) return refuse(reply, refusalFor([firstRefusal(report.error, 'body')], 'bad_request'));
        // The address is not signed.
        const { orderId } = report.data;
        if (orderId !== request.params.orderId)
          return refuse(
            reply,
            refusalFor(
              [{ field: 'orderId', reason: `expected ${request.params.orderId}, the order of the address` }],
              'bad_request',
            ),
          );
        if (inProgress >= reportsAtOnceMax) return refuse(reply, SHOP_REFUSALS.busy, LIMITS.retryMs);
        inProgress++;
        const taking = takeReport(report.data);
        // Counts until the step ends, not until the answer: a late step still loads the ledger.
        void taking
          .catch(() => {})
          .finally(() => {
            inProgress--;
          });
        try {
          const outcome = await deadlineIn(LIMITS.answerMsMax).within(taking);
          if (outcome !== 'late') return answer(reply, orderId, outcome);
        } catch (error) {
          log.warn({ err: error, orderId }, 'cannot take the report of a shop');
        }
        return refuse(reply, SHOP_REFUSALS.unavailable, LIMITS.retryMs);
      },
    );
  });
}

function answer(reply: FastifyReply, orderId: string, reported: ReportOutcome): FastifyReply {
  switch (reported.outcome) {
    case 'done':
    case 'was':
      return reply
        .header('cache-control', 'no-store')
        .send({ orderId, outcome: reported.outcome, status: reported.status });
    case 'refused':
      return refuseStep(reply, reported.payBack ? SHOP_REFUSALS.pay_back : SHOP_REFUSALS.step_refused, {
        orderId,
        status: reported.status,
      });
    case 'not_yet':
      return refuseStep(reply.header('retry-after', LIMITS.retryMs / 1_000), SHOP_REFUSALS.not_yet, {
        orderId,
        ...(reported.status !== undefined && { status: reported.status }),
      });
    case 'never':
      return refuseStep(reply, SHOP_REFUSALS.no_such_order, { orderId });
    default:
      return reported satisfies never;
  }
}

/** A refusal that tells the status that the order has. */
function refuseStep(
  reply: FastifyReply,
  { status, ...refusal }: Refusal,
  order: { orderId: string; status?: string },
): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .send({ ...refusal, ...order });
}
