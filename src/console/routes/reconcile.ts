import { Readable } from 'node:stream';
import { newTotals } from '../../operator/reconcile/difference.ts';
import { reconcileRain, reconciliationSheet } from '../../operator/reconcile/reconcile.ts';
import { refusalOfStatement } from '../../operator/reconcile/statement.ts';
import { reconcileApi } from '../contract/reconcile.ts';
import { refusalFor, type Refusal } from '../refusals.ts';
import { answerOf, declined, declinedFor, rainRoute, type Route } from './route.ts';

/** Parallel comparisons. Each reads a whole rain [R10]. */
const COMPARISONS_MAX = 2;
let comparing = 0;

export const reconcileRoutes: readonly Route[] = [
  rainRoute(reconcileApi.compare, async ({ context, rain, body }) => {
    const unreadable = await declineUnreadable(body);
    if (unreadable) return unreadable;
    if (comparing >= COMPARISONS_MAX) return declined('too_many');
    comparing++;
    try {
      return answerOf(await reconcileRain(context, rain, streamOf(body)));
    } finally {
      comparing--;
    }
  }),

  rainRoute(reconcileApi.csv, async ({ context, rain, body, reply }) => {
    const unreadable = await declineUnreadable(body);
    if (unreadable) return unreadable;
    if (comparing >= COMPARISONS_MAX) return declined('too_many');
    const opened = reconciliationSheet(context, rain, streamOf(body), newTotals());
    if (!opened.ok) return declinedFor(opened.refusals);
    comparing++;
    opened.sheet.once('close', () => { comparing--; });
    void reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="reconciliation-${rain.id}.csv"`).send(opened.sheet);
    return 'streamed';
  }),
];

/** Before the first byte of a sheet is sent: afterwards nothing can be refused. */
async function declineUnreadable(statement: Buffer): Promise<{ declined: Refusal } | undefined> {
  const refusal = await refusalOfStatement(streamOf(statement));
  return refusal && { declined: refusalFor([refusal], 'bad_request') };
}

const streamOf = (statement: Buffer): Readable => Readable.from([statement]);
