import { z } from 'zod';
import { STORED_STATES } from '../rain/rain.ts';
import { REQUIRED_WHEN } from '../rain/ticketRules.ts';
import { ITEMS_MAX, price } from '../sale/item.ts';
import { purchaseRef, reservationIdText, saleId, sku } from '../sale/ids.ts';
import { ORDER_STATUSES } from '../sale/order.ts';
import { quantity } from '../sale/units.ts';
import { SALE_OUTCOMES_IN_ORDER, type SaleOutcomeCode } from './saleOutcomes.ts';

const sale = saleId.describe('The id of the sale');
const item = sku.describe('The item');
const reservation = reservationIdText.describe('The id of the reservation, and of the order that follows from it');
const ticket = z.string().max(128).describe('Your ticket for this sale, if tickets are required');
const moment = (what: string) => z.int().min(0).describe(`${what}, epoch ms by the server's clock`);
const money = price.meta({
  pattern: '^(0|[1-9]\\d{0,13})\\.\\d\\d$',
  description: 'Decimal string with two decimals; never a number',
});
const pieces = (what: string) => z.int().min(0).describe(what);

/** The messages that a client may send about sales. The token identifies the user; a message never does [R9]. */
export const SALE_CLIENT_MESSAGES = {
  visit: z
    .strictObject({ type: z.literal('visit'), saleId: sale, ticket: ticket.optional() })
    .describe(
      'Watch a sale. You receive its snapshot now and after every change, your orders in it, and a ticket or a challenge if tickets are required.',
    ),
  buy: z
    .strictObject({
      type: z.literal('buy'),
      saleId: sale,
      sku: item,
      quantity: quantity.optional().describe('How many units; absent: 1'),
      ref: purchaseRef
        .optional()
        .describe(
          'Chosen by you for this purchase, and required where one buyer may hold several units: asking again with the same one gets the first answer again',
        ),
      ticket: ticket.optional(),
    })
    .describe('Reserve units. The gateway answers with exactly one `order`.'),
  cancel: z
    .strictObject({ type: z.literal('cancel'), saleId: sale, reservationId: reservation })
    .describe(
      'Give a reservation back that is not paid. The gateway answers with an `order` of its present status, and with another one when it is cancelled.',
    ),
} as const;
export type VisitMessage = z.infer<typeof SALE_CLIENT_MESSAGES.visit>;
export type BuyMessage = z.infer<typeof SALE_CLIENT_MESSAGES.buy>;
export type CancelMessage = z.infer<typeof SALE_CLIENT_MESSAGES.cancel>;

const CODES = SALE_OUTCOMES_IN_ORDER.map(({ code }) => code) as [SaleOutcomeCode, ...SaleOutcomeCode[]];

const shownItem = z.object({
  sku: item,
  name: z.string().exactOptional().describe('For people; absent: the SKU'),
  description: z.string().exactOptional().describe('For people, plain text that may have line ends'),
  price: money,
  listPrice: money.exactOptional().describe('The usual price'),
  picture: z.string().exactOptional().describe('The address of a picture'),
  units: pieces('Units of the sale, top-ups included'),
  left: pieces(
    'Units that could be reserved when the gateway last read the sale, a few seconds ago at most while Redis answers',
  ),
  backAt: moment('Only when none is left and some are not paid for: when the next may come back').exactOptional(),
  perOrderMax: pieces('Units in one order at most').exactOptional(),
  perUserMax: pieces('Units that one buyer may hold').exactOptional(),
});

const when = z.enum(REQUIRED_WHEN);
export const shownTicketRules = z
  .object({
    tickets: when.describe('When a grab or a purchase needs a ticket: always, or while the gateway is under load'),
    proofOfWork: when.describe('When a ticket needs a solved challenge'),
    from: moment(
      'Before this no ticket and no challenge is issued. Join or visit again then; best at a random moment of the first half of the time until the opening',
    ),
  })
  .exactOptional()
  .describe('Absent: no ticket is needed. They may change while it runs');

const snapshot = {
  saleId: sale,
  title: z.string().describe('The name of the sale, for people'),
  state: z.enum([...STORED_STATES, 'open']).describe('As of a rain, see “The life of a rain”'),
  opensAt: moment('When the sale opens'),
  closesAt: moment('When the sale closes'),
  holdMs: pieces('How long a reservation waits for its payment, ms'),
  perUserMax: pieces('Units that one buyer may hold in the whole sale').exactOptional(),
  free: z
    .literal(true)
    .exactOptional()
    .describe('Only where every item costs nothing: speak of neither a sale nor a payment'),
  items: z.array(shownItem).max(ITEMS_MAX).describe('The items of the sale, in the order to show them'),
  rehearsal: z
    .literal(true)
    .exactOptional()
    .describe('Only in a rehearsal: nothing is shipped; show this to the buyers'),
  ticketRules: shownTicketRules,
};

export const SALE_SERVER_MESSAGES = {
  sale: z
    .object({ type: z.literal('sale'), ...snapshot, serverTime: moment('Now') })
    .describe(
      'A snapshot of a sale: the answer to a `visit`, and sent again after every change. It replaces all earlier snapshots.',
    ),
  order: z
    .object({
      type: z.literal('order'),
      saleId: sale,
      ref: z.string().max(64).exactOptional().describe('The `ref` of the purchase; absent if it had none'),
      code: z.enum(CODES).describe('See “Codes”'),
      reason: z.string().describe('The code as a word'),
      retryInMs: pieces('With `-5`, and mostly with `-7`: wait this long before you buy again, ms').exactOptional(),
      backAt: moment('With `-12`, if it is known: when the next unit may come back').exactOptional(),
      reservationId: reservation.exactOptional(),
      sku: item.exactOptional(),
      quantity: pieces('With `0` and `1`: how many units').exactOptional(),
      price: money.exactOptional().describe('With `0` and `1`: the price of one unit'),
      status: z
        .enum(ORDER_STATUSES)
        .exactOptional()
        .describe('With `0` and `1`: the present status; see “The life of an order”'),
      payBy: moment('With `0` and `1`: until when it can be paid').exactOptional(),
      place: pieces(
        'With the status `reserved`: your place among the reservations whose orders are not written yet; 1 is next',
      ).exactOptional(),
      payUrl: z.string().exactOptional().describe('Where to pay, if the shop has such a page'),
    })
    .describe(
      'The answer to a `buy` and to a `cancel`, and sent again, with code `1`, when the status of an order of yours changes. It may arrive twice; treat repeats as one.',
    ),
  restock: z
    .object({ type: z.literal('restock'), saleId: sale, sku: item, left: pieces('Units left, as in `sale`') })
    .describe('Units have come back of an item of which you were told `-12` or `-1`.'),
} as const;

/** A sale in `welcome`: with the items of all of them it would be long. */
export const shownSale = z.object(snapshot).omit({ items: true });
export type ShownSale = z.infer<typeof shownSale>;
export type SaleSnapshot = z.infer<typeof SALE_SERVER_MESSAGES.sale>;
export type OrderMessage = z.infer<typeof SALE_SERVER_MESSAGES.order>;
export type RestockMessage = z.infer<typeof SALE_SERVER_MESSAGES.restock>;
