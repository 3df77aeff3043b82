import { listSales, SALES_MAX, showSale, type SaleView } from '../../../operator/sale/show.ts';
import { noSaleReason } from '../../../operator/sale/lost.ts';
import { heldReason, pausedNotice } from '../../../operator/sale/stopped.ts';
import { parseCount } from '../../arguments.ts';
import type { RainCommand } from '../../command.ts';
import { CommandFailure, EXIT } from '../../exit.ts';
import { show, type ShowOptions } from '../../showing.ts';
import { facts, paintState, table } from '../../style.ts';
import { describeTerms } from '../planOptions.ts';
import { ticketRulesInWords } from '../tickets.ts';

export function addShowCommands(sale: RainCommand): void {
  sale
    .command('list')
    .summary('all sales, newest first')
    .description('Lists all sales, newest first.')
    .option('--limit <n>', 'how many sales to list', parseCount(1, SALES_MAX), 100)
    .json()
    .example('rain sale list --limit 20')
    .runsWithContext(async (context, { limit }: { limit: number }) => {
      const sales = await listSales(context, limit);
      return { value: { sales }, text: describeList(sales) };
    });

  sale
    .command('show <id>')
    .summary('one sale in detail')
    .description('Shows one sale; with --watch every second until the sale is settled or Ctrl-C.')
    .option('--watch', 'repeat every second until the sale is settled')
    .json('print JSON, with --watch one object per line')
    .example('rain sale show m3k9x2a1b2c3d4 --watch')
    .runsWithContext(async (context, saleId: string, options: ShowOptions) =>
      show(sale.terminal, options, async () => {
        const found = await showSale(context, saleId);
        if (!found) throw new CommandFailure(EXIT.refused, `id: ${await noSaleReason(context, saleId)}`);
        return { value: found, text: describe(found), isLast: found.state === 'settled' };
      }),
    );
}

const isFree = (price: string) => price === '0.00';
const titleOf = ({ title, rehearsal }: SaleView) => (rehearsal ? `${title} (rehearsal)` : title);
const sum = ({ items }: SaleView, part: 'units' | 'sold' | 'reserved' | 'left') =>
  items.reduce((total, item) => total + item[part], 0);

function describeList(sales: readonly SaleView[]): string {
  if (sales.length === 0) return 'no sale yet; plan one with: rain sale create --help';
  return table(
    ['id', 'title', 'state', 'opens', 'items', 'units', 'left', 'reserved', 'sold', 'orders'],
    sales.map((one) => [
      one.saleId,
      titleOf(one),
      paintState(one.state),
      one.opensAt,
      one.items.length,
      sum(one, 'units'),
      sum(one, 'left'),
      sum(one, 'reserved'),
      sum(one, 'sold'),
      one.orders,
    ]),
  );
}

function describe(one: SaleView): string {
  const {
    saleId,
    campaign,
    boughtMax,
    state,
    unlisted,
    invitedOnly,
    opensAt,
    closesAt,
    endedAt,
    holdMs,
    perUserMax,
    orderService,
    items,
    reservations,
    relayed,
    orders,
    undelivered,
    topUps,
    held,
    pausedBecause,
    damaged,
    ticketRules,
  } = one;
  const head = facts([
    ['sale', `${saleId}  ${titleOf(one)}`],
    ['state', paintState(state)],
    ...(held === undefined ? [] : [['held', heldReason(saleId, held)]]),
    ...(pausedBecause === undefined ? [] : [['paused', pausedNotice(saleId, pausedBecause)]]),
    ...(damaged === undefined ? [] : [['damaged', damaged]]),
    ...(campaign
      ? [['campaign', `${campaign.id}, round ${campaign.round}; at most ${boughtMax} units per user in all its sales`]]
      : []),
    ['opens', opensAt],
    ['closes', endedAt === undefined ? closesAt : `${endedAt}, ended before its time, ${closesAt}`],
    [
      'to be paid',
      items.every(({ price }) => isFree(price))
        ? "nothing: free items are the buyer's at once"
        : `within ${holdMs / 1_000} s`,
    ],
    ['per user', perUserMax ?? 'no limit'],
    ...describeTerms({ ...(unlisted && { unlisted }), ...(invitedOnly && { invitedOnly }) }),
    ...(ticketRules ? [['tickets', ticketRulesInWords(ticketRules)]] : []),
    ['orders kept', orderService === 'builtin' ? 'by this product' : 'by the service of the shop, by webhook'],
    ['reservations', `${reservations}, ${relayed} with the queue`],
    ['orders', orders],
    ...(undelivered === undefined
      ? []
      : [
          [
            'undelivered',
            `${undelivered} orders have timed out before the shop has confirmed them; the log of the worker says why`,
          ],
        ]),
    ...topUps.map(({ ordinal, id, units, sku }) => [`top-up ${ordinal}`, `${units} ${sku}, ${id}`]),
  ]);
  return `${head}\n\n${table(
    ['sku', 'name', 'price', 'units', 'left', 'reserved', 'sold', 'returned'],
    items.map(({ sku, name = '', price, units, left, reserved, sold, returned }) => [
      sku,
      name,
      price,
      units,
      left,
      reserved,
      sold,
      returned,
    ]),
  )}`;
}
