import { reservationOf } from '../../ledger/orders.ts';
import type { BookedSale } from '../../ledger/sales.ts';
import { redisNow } from '../../store/rains.ts';
import { writeOrdersBack } from '../../store/rebook.ts';
import { open } from '../../store/saleTransitions.ts';
import { addUnits } from '../../store/sales.ts';
import { countBought } from '../campaign/bought.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { writeDraft } from '../sale/create.ts';
import { isEnded } from '../sale/expectedState.ts';
import { saleKeyName } from '../sale/keyName.ts';
import { lostSaleReason } from '../sale/lost.ts';
import { openSale } from '../sale/open.ts';
import { restoreState } from '../sale/restoreFields.ts';
import { findLostReservations, resolveLostReservations } from '../sale/toldReservations.ts';
import { followTickets } from '../tickets.ts';

/** Orders per read. */
const PAGE = 1_000;

type Rebuilt = { ok: true; did: string[] } | Refused;

/**
 * Gives Redis a sale back that it has lost, from the ledger: items, top-ups, all orders with their status, and what
 * gateways have told. It is paused then. Reservations without an order that nobody remembers are unknown, so it wants
 * the operator's word. If it is cut, repeat it.
 */
export async function rebuildSale(
  context: OperatorContext,
  sale: BookedSale,
  word: boolean,
  dryRun: boolean,
): Promise<Rebuilt> {
  const { redis, ledger, signer } = context;
  const { id } = sale;
  const now = await redisNow(redis);
  const actions = await ledger.actions(id);
  // Nothing can be sold any more: its orders are in the ledger, and settle there.
  if (isEnded(sale, actions) || now >= sale.closesAt) return refuse('id', lostSaleReason(id));
  if (now < sale.opensAt && (await ledger.orders({ saleId: id }, 1)).length === 0) {
    const opened = dryRun ? undefined : await openSale(context, id);
    return opened && !opened.ok ? opened : { ok: true, did: ['loaded it again: it had not opened'] };
  }
  if (!word)
    return refuse(
      'reason',
      `reservations of the sale ${id} that have no order yet may be unknown: bring the data of Redis back, or take it that some are missing with rain restore apply ${id} --reason "…"`,
    );
  const orders = (await ledger.orderCounts(id)).orders;
  const did = [`rebuilt it with ${orders} orders of the ledger, paused; go on with rain sale resume ${id}`];
  if (dryRun) return { ok: true, did };
  // Recorded first: from here on a worker does not open it either.
  await ledger.record({ actor: context.actor, verb: 'pause', rainId: id, details: {} });
  if ((await writeDraft(context, sale)) === 'taken')
    return refuse('id', `${lostSaleReason(id)}; Redis still has other keys of it`);
  await followTickets(context, 'sale', id, 1);
  for (const topUp of (await ledger.sale(id))!.topUps) await addUnits(redis, id, topUp);
  if (!(await writeOrders(context, id)))
    return refuse('id', `somebody else changes the sale ${id} meanwhile; repeat this command`);
  const lost = await findLostReservations(context, id);
  const resolved = await resolveLostReservations(context, id, lost);
  if (lost.length > 0)
    did.push(`put ${resolved.putBack} told reservations back, and refused ${resolved.refused}: their buyers were told`);
  if (sale.campaign) await countBought(context, sale.campaign.id);
  await restoreState(context, id, 'paused');
  await open(redis, id, saleKeyName(actions) ?? signer.keyId);
  return { ok: true, did };
}

async function writeOrders({ redis, ledger, signer }: OperatorContext, saleId: string): Promise<boolean> {
  for (let after: string | undefined; ;) {
    const page = await ledger.numberedOrders({ saleId, ...(after !== undefined && { after }) }, PAGE);
    const written = await writeOrdersBack(
      redis,
      signer,
      saleId,
      page.map((order) => ({ ...reservationOf(order), status: order.status })),
    );
    if (written === undefined) return false;
    if (page.length < PAGE) return true;
    after = page.at(-1)!.id;
  }
}
