import { SALE_BUSY, type ReserveAnswer } from '../../grab/reserve.ts';
import type { BuyMessage } from '../../protocol/saleMessages.ts';
import { QUANTITY_MAX } from '../../sale/units.ts';
import type { Refusal } from '../../rain/refusal.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { mayTake } from '../rains/visibility.ts';
import type { Buyer, OrderReply } from './buyer.ts';
import { isSamePurchase, openPurchase, type PendingPurchase } from './pendingPurchase.ts';
import type { CachedSale } from './saleCache.ts';
import { saleName } from './saleName.ts';

const NO_SUCH_SALE: ReserveAnswer = { code: '-8' };
const NO_SUCH_ITEM: ReserveAnswer = { code: '-14' };
/** Without a ref a second purchase could not be told from the first one that is asked again. */
const REF_MISSING: Refusal = {
  field: 'ref',
  reason: 'expected a text of your own for this purchase, since a buyer may hold several units of this sale',
};

/** Decides a purchase of a socket or of a caller over HTTP; the answer goes to `reply`. */
export function buy(context: HandlerContext, buyer: Buyer, message: BuyMessage, reply: OrderReply): void {
  const sale = context.sales.cache.reading(message.saleId);
  if (sale && !mayTake(buyer.audience, 'sales', sale.saleId, sale))
    return context.sales.answer(openPurchase(buyer, message, reply), NO_SUCH_SALE);
  if (sale) buyFrom(sale, context, buyer, message, reply);
  else void findAndBuy(context, buyer, message, reply);
}

/**
 * Everything that is asked before Redis is, in this order. The first that answers the purchase is the last that is
 * asked.
 */
function buyFrom(
  sale: CachedSale,
  context: HandlerContext,
  buyer: Buyer,
  message: BuyMessage,
  reply: OrderReply,
): void {
  const {
    batcher,
    sales,
    overload: { admission, killSwitches, loopBudget },
  } = context;
  const { openPurchase: open } = buyer;
  if (open && isSamePurchase(open, message)) {
    if (isRefused(context, buyer, message, reply, sale)) return;
    open.also++;
    return open.reply.join(reply);
  }
  if (sale.refRequired && message.ref === undefined) return reply.refuse(REF_MISSING);
  const pending = openPurchase(buyer, message, reply);
  const item = sale.bySku.get(pending.sku);
  if (!item || pending.quantity > (item.perOrderMax ?? QUANTITY_MAX)) return sales.answer(pending, NO_SUCH_ITEM);
  const known = sales.localAnswers.answer(pending, item);
  if (known) return sales.answer(pending, known);
  if (isRefused(context, buyer, message, reply, sale)) return;
  // A term of a newer version may restrict who buys. This gateway cannot check it, so it grants nothing.
  if (sale.unknownTerms) return sales.answer(pending, SALE_BUSY);
  if (sales.forged.isOtherKey(sale.saleId, sale.signedBy)) return sales.answer(pending, SALE_BUSY);
  if (killSwitches.off.grabs) return answerBusy(context, pending, 'switch_grabs');
  // Gathering costs next to nothing, so a crowd that comes at the opening is not refused for its size.
  if (sales.fairStart.near > 0 && sales.fairStart.take(pending.saleId, 1, pending)) return;
  if (loopBudget.overdue) return answerBusy(context, pending, 'turn');
  if (!admission.admits(batcher.asking + sales.batcher.asking)) return answerBusy(context, pending, 'grabs_pending');
  if (!sales.undecided.admit(pending, sale)) return answerBusy(context, pending, 'purchases_per_item');
  buyer.openPurchase = pending;
  sales.batcher.add(pending.saleId, 1, pending);
}

/** For want of a ticket. @returns true: the refusal has been sent */
function isRefused(
  { challenges, counters }: HandlerContext,
  buyer: Buyer,
  { saleId, ref, ticket }: BuyMessage,
  reply: OrderReply,
  sale: CachedSale,
): boolean {
  if (!challenges.refuses(buyer, saleName(saleId), ticket, sale)) return false;
  counters.purchases['-9']++;
  reply.answer({ saleId, ref, code: '-9' });
  return true;
}

function answerBusy(
  { counters, overload: { admission } }: HandlerContext,
  { saleId, ref, reply }: PendingPurchase,
  limit: 'switch_grabs' | 'turn' | 'grabs_pending' | 'purchases_per_item',
): void {
  counters.refused[limit]++;
  counters.purchases['-7']++;
  reply.answerBusy({ saleId, ref }, admission.retryInMs());
}

/** The sale cache may not have a sale created a moment ago. */
async function findAndBuy(
  context: HandlerContext,
  buyer: Buyer,
  message: BuyMessage,
  reply: OrderReply,
): Promise<void> {
  const { sales } = context;
  const mayBeLost = sales.isRestoring(message.saleId);
  try {
    await sales.cache.find(message.saleId);
  } catch (error) {
    context.onFault(error);
    return sales.answer(openPurchase(buyer, message, reply), SALE_BUSY);
  }
  const sale = sales.cache.reading(message.saleId);
  if (!sale || !mayTake(buyer.audience, 'sales', sale.saleId, sale))
    return sales.answer(openPurchase(buyer, message, reply), mayBeLost ? SALE_BUSY : NO_SUCH_SALE);
  buyFrom(sale, context, buyer, message, reply);
}
