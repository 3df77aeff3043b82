import { z } from 'zod';
import { saleId } from '../../sale/ids.ts';
import { requestedTicketRules, viewedTicketRules, ticketRulesAnswer } from './tickets.ts';
import { count, epochMs, limit, money, perSecond, reason, shownState, time, type Endpoint } from './endpoint.ts';

export const saleParams = z.strictObject({ saleId });
export const SALES_PATH = '/api/console/sales';

const item = z.object({
  sku: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  picture: z.string().optional(),
  price: money,
  listPrice: money.optional(),
  perOrderMax: count,
  perUserMax: count,
  units: count.describe('All that were put into the sale, top-ups included.'),
  sold: count.describe('In paid orders.'),
  reserved: count.describe('In orders that wait for their payment.'),
  booked: count.describe('Held by reservations, paid ones included; Redis knows first.'),
  left: count.describe('Can be reserved now.'),
  returned: count.describe('Back at the shop.'),
});

/** The same fields as in `rain sale show --json`. */
export const saleView = z.object({
  saleId: z.string(),
  title: z.string(),
  rehearsal: z.literal(true).optional().describe('A sale to practise: nothing is shipped.'),
  unlisted: z.literal(true).optional().describe('Only buyers who know the id see it.'),
  invitedOnly: z.literal(true).optional().describe('Only buyers whose token names it see it and buy.'),
  campaign: z.object({ id: z.string(), round: z.int() }).optional(),
  boughtMax: count.optional().describe('Units that a user may hold in all sales of the campaign together.'),
  state: shownState,
  opensAt: time,
  closesAt: time,
  endedAt: time.optional().describe('When somebody has ended it, before its time.'),
  holdMs: count.describe('How long a reservation waits for its payment, ms.'),
  perUserMax: count.optional().describe('Units that a user may buy in the whole sale.'),
  orderService: z
    .enum(['builtin', 'webhook'])
    .describe('Who keeps the orders: this product, or the service of the shop.'),
  items: z.array(item),
  reservations: count,
  relayed: count.describe('Reservations that the queue has accepted.'),
  orders: count,
  undelivered: count
    .optional()
    .describe('Orders that have timed out before the shop has confirmed them; absent: none.'),
  topUps: z.array(z.object({ id: z.string(), sku: z.string(), ordinal: count, units: count })),
  ticketRules: viewedTicketRules,
  held: z
    .string()
    .optional()
    .describe(
      'Nothing is sold: Redis and the database do not agree about the sale, or somebody else has written this into its state in Redis. The workers end it when they agree, and when their audit finds nothing else.',
    ),
  pausedBecause: z
    .string()
    .optional()
    .describe('Why the background audit has paused the sale; only while it is paused.'),
  damaged: z
    .string()
    .optional()
    .describe('Which counts of Redis cannot be read; those of the ledger are shown instead.'),
});

/** The verb validates all values, so that its refusals name them as the command line does. */
const newSale = z.strictObject({
  id: z.string().optional().describe('Chosen by the client, so that a repeated request creates one sale.'),
  title: z.string().optional(),
  items: z
    .array(z.unknown(), 'expected a list of items')
    .describe(
      '[{sku, units, price, name?, description?, listPrice?, picture?, perOrderMax?, perUserMax?}]; amounts are decimal strings.',
    ),
  perUserMax: z
    .number('expected a whole number')
    .optional()
    .describe('Units that a user may buy in the whole sale; absent: 1.'),
  holdMs: z.number('expected milliseconds').describe('How long a reservation waits for its payment, ms.'),
  opensAt: z.number('expected epoch milliseconds'),
  closesAt: z.number('expected epoch milliseconds'),
  campaign: z
    .strictObject({ id: z.string(), round: z.number('expected a round') }, 'expected {"id","round"}')
    .optional()
    .describe('A round of a campaign. The sale id is then <id>.<round>.'),
  rehearsal: z.boolean('expected true or false').optional(),
  unlisted: z
    .boolean('expected true or false')
    .optional()
    .describe('Tell nobody of it: only buyers who know the id see it.'),
  invitedOnly: z
    .boolean('expected true or false')
    .optional()
    .describe('Only buyers whose token names the id, in its claim `sales`, see it and buy.'),
  ticketRules: requestedTicketRules.optional(),
  orderService: z.enum(['builtin', 'webhook'], 'expected builtin or webhook').optional(),
  load: z.boolean('expected true or false').default(true).describe('Put it on sale at once.'),
  dryRun: z.boolean('expected true or false').default(false).describe('Only validate; write nothing.'),
});

const created = z.object({
  saleId: z.string(),
  opensAt: epochMs,
  closesAt: epochMs,
  stocked: z.boolean().optional().describe('Only for a dry run: whether units would be put into the stock.'),
  state: z.string().optional().describe('Present when it was put on sale.'),
});

const addition = z.strictObject({
  id: z.string().optional().describe('Chosen by the client: the same id adds the units once.'),
  sku: z.string('expected a SKU'),
  units: z.number('expected a whole number of units'),
  dryRun: z.boolean('expected true or false').optional(),
});

const parts = {
  sku: z.string(),
  units: count,
  sold: count,
  reserved: count,
  pending: count.describe('Reserved in Redis; the order is not written yet.'),
  left: count,
  returned: count,
};
const report = z.object({
  saleId: z.string(),
  items: z.array(z.object(parts)),
  orders: count,
  buyers: count,
  balanced: z.boolean(),
  rehearsal: z.literal(true).optional(),
});
const audit = report.extend({
  problems: z.array(z.string()).describe('What breaks the equation or has no known cause. At most 100 sentences.'),
  notices: z.array(z.string()).describe('What should be repeated. The units add up all the same.'),
  waiting: count.describe('Reservations without an order: on their way, or lost.'),
  wrongCounts: count.describe(
    'What of Redis a repair would put right: counts, the state of the sale, and what buyers are told.',
  ),
});

const itemSample = z.object({
  sku: z.string(),
  name: z.string().optional(),
  units: count,
  left: count,
  reserved: count.describe('Held by reservations that are not paid.'),
  paid: count,
  timedOut: count.describe('Units of orders that timed out; most are sold again.'),
  returned: count,
  reservedPerSecond: perSecond,
  paidPerSecond: perSecond,
  timedOutPerSecond: perSecond,
});

/** The figures of the live board, once a second. */
export const saleSample = z.object({
  at: time,
  state: shownState,
  opensAt: time,
  closesAt: time,
  reservations: count,
  orders: count,
  sockets: count,
  gateways: count,
  items: z.array(itemSample),
  audit: report
    .extend({ problems: z.array(z.string()), at: time })
    .nullable()
    .describe(
      'The result of the last audit, made at `at`. Audits take 5 % of the time at most. Null before the first audit.',
    ),
});
export type SaleSample = z.infer<typeof saleSample>;

const one = `${SALES_PATH}/:saleId`;
const tag = 'sales';
const params = saleParams;
const moved = z.object({ state: shownState, opensAt: epochMs, closesAt: epochMs });
const dryRun = z.boolean('expected true or false').default(false);

/** Sales: items at fixed prices for a short time. */
export const salesApi = {
  list: {
    id: 'listSales',
    method: 'GET',
    path: SALES_PATH,
    tag,
    summary: 'The newest sales.',
    access: 'viewer',
    query: z.strictObject({ limit: limit(1_000, 20) }),
    status: 200,
    answer: z.object({ sales: z.array(saleView) }),
  },
  create: {
    id: 'createSale',
    method: 'POST',
    path: SALES_PATH,
    tag,
    summary: 'Create a sale and book its stock.',
    access: 'operator',
    body: newSale,
    status: 201,
    answer: created,
  },
  show: {
    id: 'showSale',
    method: 'GET',
    path: one,
    tag,
    summary: 'One sale.',
    access: 'viewer',
    params,
    status: 200,
    answer: saleView,
  },
  load: {
    id: 'loadSale',
    method: 'POST',
    path: `${one}/load`,
    tag,
    summary: 'Put a sale on sale: from its start on it sells. Safe to repeat.',
    access: 'operator',
    params,
    status: 200,
    answer: z.object({ state: z.string(), units: count }),
  },
  start: {
    id: 'startSale',
    method: 'POST',
    path: `${one}/start`,
    tag,
    summary: 'Start a loaded sale now. Its duration does not change.',
    access: 'operator',
    params,
    status: 200,
    answer: moved,
  },
  pause: {
    id: 'pauseSale',
    method: 'POST',
    path: `${one}/pause`,
    tag,
    summary: 'Stop selling for a while. The end does not move, and reservations are paid as before.',
    access: 'operator',
    params,
    status: 200,
    answer: moved,
  },
  resume: {
    id: 'resumeSale',
    method: 'POST',
    path: `${one}/resume`,
    tag,
    summary: 'Sell again after a pause.',
    access: 'operator',
    params,
    status: 200,
    answer: moved,
  },
  tickets: {
    id: 'setSaleTickets',
    method: 'POST',
    path: `${one}/tickets`,
    tag,
    summary: 'Require tickets or a proof of work, even while the sale runs.',
    access: 'operator',
    params,
    body: requestedTicketRules,
    status: 200,
    answer: ticketRulesAnswer,
  },
  end: {
    id: 'endSale',
    method: 'POST',
    path: `${one}/end`,
    tag,
    summary: 'End the sale now, for good. Reservations can still be paid.',
    access: 'operator',
    params,
    body: z.strictObject({ dryRun }).nullish(),
    status: 200,
    answer: z.union([
      moved,
      z.object({
        left: count.describe('Units that nobody could buy any more.'),
        waiting: count.describe('Units of reservations, which may still be paid.'),
      }),
    ]),
  },
  topUp: {
    id: 'topUpSale',
    method: 'POST',
    path: `${one}/top-up`,
    tag,
    summary: 'Add units to an item, even while it is sold.',
    access: 'operator',
    params,
    body: addition,
    status: 200,
    answer: z.object({
      saleId: z.string(),
      id: z.string(),
      sku: z.string(),
      units: count,
      total: count,
      loaded: z.boolean().describe('False: the sale is not on sale yet, and these units come with the others.'),
    }),
  },
  audit: {
    id: 'auditSale',
    method: 'GET',
    path: `${one}/audit`,
    tag,
    summary: 'Run the audit: check the equation of every item now.',
    access: 'viewer',
    params,
    status: 200,
    answer: audit,
  },
  repair: {
    id: 'repairSale',
    method: 'POST',
    path: `${one}/repair`,
    tag,
    summary: 'Send reservations without an order to the queue again, and put right what was changed in Redis.',
    access: 'operator',
    params,
    body: z.strictObject({ dryRun }).nullish(),
    status: 200,
    answer: z.object({
      reservations: count,
      jobs: count,
      counts: z.array(z.object({ field: z.string(), found: z.string(), right: z.union([count, z.string()]) })),
      released: z.boolean().describe('Whether a hold was ended.'),
      complete: z.boolean().describe('False: there are more reservations; run it again.'),
    }),
  },
  writeOff: {
    id: 'writeOffSale',
    method: 'POST',
    path: `${one}/write-off`,
    tag,
    summary:
      'Give a sale up that can never add up again. Its orders stay, and the rest of the stock goes back to the shop.',
    access: 'operator',
    params,
    body: z.strictObject({ reason, dryRun }),
    status: 200,
    answer: z.object({
      saleId: z.string(),
      state: z.enum(['settled', 'closed']),
      waiting: count.describe('Orders that may still be paid; the workers settle the sale when none is left.'),
      returned: count.describe('Units that go back to the shop, or are there.'),
      problems: z.array(z.string()).describe('What nobody could put right.'),
    }),
  },
  acknowledge: {
    id: 'acknowledgeSaleTampering',
    method: 'POST',
    path: `${one}/acknowledge-tampering`,
    tag,
    summary: 'Mark what somebody changed by hand as seen, so that the sale can be settled. No units move.',
    access: 'operator',
    params,
    body: z.strictObject({ reason: z.string('expected 1 to 500 characters').describe('For the record.'), dryRun }),
    status: 200,
    answer: z.object({ findings: count.describe('Those that were acknowledged now.') }),
  },
  watch: {
    id: 'watchSale',
    method: 'GET',
    path: `${one}/live`,
    tag: 'live',
    summary: 'Server-sent events: `sample`, once a second.',
    access: 'viewer',
    params,
    status: 200,
    answer: saleSample,
    mediaType: 'text/event-stream',
  },
} satisfies Record<string, Endpoint>;
