import { addUnits } from '../../store/sales.ts';
import { open } from '../../store/saleTransitions.ts';
import type { Units } from '../../sale/units.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { countBought } from '../campaign/bought.ts';
import { writeDraft } from './create.ts';
import { saleKeyName } from './keyName.ts';
import { followTickets } from '../tickets.ts';
import { hasLostSale, lostSaleReason, noSaleReason } from './lost.ts';

type SaleOpened = { ok: true; state: string; units: Units } | Refused;

/**
 * Writes the sale with its top-ups to Redis, and lets it be sold from its start on. Cut half-way and run again, it
 * continues.
 */
export async function openSale(context: OperatorContext, saleId: string): Promise<SaleOpened> {
  const sale = await context.ledger.sale(saleId);
  if (!sale) return refuse('id', await noSaleReason(context, saleId));
  if (sale.settledAt !== undefined) return refuse('id', `the sale ${saleId} is settled`);
  if (sale.sealedAt !== undefined) return refuse('id', `the sale ${saleId} was ended`);
  if (await hasLostSale(context, sale)) return refuse('id', lostSaleReason(saleId));
  if ((await writeDraft(context, sale)) === 'taken') return refuse('id', `Redis holds another sale ${saleId}`);
  await followTickets(context, 'sale', saleId, 1);
  // Before anybody can buy: what users hold in earlier sales counts.
  if (sale.campaign) await countBought(context, sale.campaign.id);
  const signedBy = saleKeyName(await context.ledger.actions(saleId)) ?? context.signer.keyId;
  // Recorded when Redis has the draft, and before anybody can buy: see `hasLostSale`.
  await context.ledger.record({
    actor: context.actor,
    verb: 'load',
    rainId: saleId,
    details: { signedBy, items: sale.items.map(({ sku, units }) => ({ sku, units })) },
  });
  // Read after the draft: a top-up that comes later finds the draft, and adds itself.
  const { topUps, items } = (await context.ledger.sale(saleId))!;
  for (const topUp of topUps) {
    const added = await addUnits(context.redis, saleId, topUp);
    if (added !== 'added' && added !== 'exists')
      return refuse('id', added === 'over' ? `the sale ${saleId} is over` : lostSaleReason(saleId));
  }
  const state = await open(context.redis, saleId, signedBy);
  if (state === undefined) return refuse('id', lostSaleReason(saleId));
  if (state === 'closed' || state === 'settled') return refuse('id', `the sale ${saleId} is over`);
  return { ok: true, state, units: items.reduce((sum, { units }) => sum + units, 0) };
}
