import { newTotals } from '../../operator/reconcile/difference.ts';
import { reconcileRain, reconciliationSheet, walletOf } from '../../operator/reconcile/reconcile.ts';
import { refusalOfStatement } from '../../operator/reconcile/statement.ts';
import { reconcileApi } from '../contract/reconcile.ts';
import { refusalFor, type Refusal } from '../refusals.ts';
import { AT_ONCE, declinedForNow, inPlace } from './atOnce.ts';
import { streamOf } from './bodyStream.ts';
import { answerOf, declinedFor, rainRoute, type Route } from './route.ts';

export const reconcileRoutes: readonly Route[] = [
  rainRoute(reconcileApi.compare, async ({ context, visitor, rain, body }) => {
    const wallet = walletOf(rain);
    if (!wallet.ok) return declinedFor(wallet.refusals);
    return inPlace(AT_ONCE.comparisons, visitor, async () => {
      const compared = await reconcileRain(context, rain, streamOf(body));
      // The rain has a wallet, so it is the statement.
      return compared.ok ? answerOf(compared) : { declined: refusalFor(compared.refusals, 'bad_request') };
    });
  }),

  rainRoute(reconcileApi.csv, async ({ context, visitor, rain, body, reply }) => {
    const wallet = walletOf(rain);
    if (!wallet.ok) return declinedFor(wallet.refusals);
    const end = AT_ONCE.comparisons(visitor.name);
    if (!end) return declinedForNow();
    let streamed = false;
    try {
      const unreadable = await declineUnreadable(body);
      if (unreadable) return unreadable;
      const opened = reconciliationSheet(context, rain, streamOf(body), newTotals());
      if (!opened.ok) return declinedFor(opened.refusals);
      opened.sheet.once('close', end);
      streamed = true;
      void reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="reconciliation-${rain.id}.csv"`)
        .send(opened.sheet);
      return 'streamed';
    } finally {
      if (!streamed) end();
    }
  }),
];

/** Before the first byte of a sheet is sent: afterwards nothing can be refused. */
async function declineUnreadable(statement: Buffer): Promise<{ declined: Refusal } | undefined> {
  const refusal = await refusalOfStatement(streamOf(statement));
  return refusal && { declined: refusalFor([refusal], 'bad_request') };
}
