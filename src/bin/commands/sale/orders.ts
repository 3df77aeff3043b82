import { Option } from 'commander';
import {
  ordersLines,
  ordersSheet,
  orderTotals,
  searchOrders,
  SEARCHED_STATUSES,
} from '../../../operator/sale/orders.ts';
import { cancelOrder, payOrder, refundOrder } from '../../../operator/sale/step.ts';
import { REDIS_ORDER_COLUMNS, redisOrders } from '../../../operator/sale/redisOrders.ts';
import { sheetOf } from '../../../operator/sheet.ts';
import type { Answer, RainCommand } from '../../command.ts';
import type { OpenContext } from '../../context.ts';
import { accepted, acceptedAs } from '../../exit.ts';
import { table } from '../../style.ts';
import { pour, type Terminal } from '../../terminal.ts';

interface OrdersOptions {
  user?: string;
  status?: (typeof SEARCHED_STATUSES)[number];
  order?: string;
  csv?: boolean;
  json?: boolean;
  redis?: boolean;
}

/** Without a terminal as CSV, as with `--csv`. */
async function printRedisOrders(
  terminal: Terminal,
  context: OpenContext,
  saleId: string,
  { csv, json }: Pick<OrdersOptions, 'csv' | 'json'>,
): Promise<Answer | undefined> {
  const { orders } = accepted(await redisOrders(context, saleId));
  if (json) return void (await pour(terminal, ordersLines(orders)));
  if (csv || !terminal.stdout.isTTY)
    return void (await pour(terminal, sheetOf(orders, REDIS_ORDER_COLUMNS, csv ? 'spreadsheet' : 'plain')));
  const rows: (string | number)[][] = [];
  for await (const one of orders) {
    if (rows.length === LISTED_MAX) break;
    rows.push([one.orderId, one.userId, one.sku, one.quantity, one.amount, one.status, one.payBy, one.signed]);
  }
  const more =
    rows.length < LISTED_MAX ? '' : `\n… and there may be more; for all: rain sale orders ${saleId} --redis --csv`;
  return {
    value: undefined,
    text: `${table(['order', 'user', 'sku', 'quantity', 'amount', 'status', 'to be paid by', 'signed'], rows)}${more}`,
  };
}

/** Rows of a table; for all orders there is CSV. */
const LISTED_MAX = 500;

const STEPS = [
  {
    name: 'pay',
    verb: payOrder,
    done: 'paid',
    summary: 'mark an order as paid by hand',
    description:
      'Marks an order that waits for its payment as paid, such as one that was paid in cash. No money moves here: the shop has it already.',
  },
  {
    name: 'cancel',
    verb: cancelOrder,
    done: 'cancelled',
    summary: 'cancel an order by hand',
    description: 'Cancels an order that waits for its payment. Its units are sold again while the sale is open.',
  },
  {
    name: 'refund',
    verb: refundOrder,
    done: 'refunded',
    summary: 'refund an order by hand',
    description:
      "Marks a paid order as refunded. Its units are sold again while the sale is open, and go back to the shop afterwards. The money of a sale is the shop's: it pays back itself.",
  },
] as const;

export function addOrderCommands(sale: RainCommand): void {
  sale
    .command('orders <id>')
    .summary('list orders, as a table or CSV')
    .description(
      'Prints the orders of a sale from the ledger. Into a file or a pipe it prints all of them as CSV, on a terminal a table of the first ones.',
    )
    .option('--user <id>', 'only orders of this user')
    .addOption(new Option('--status <status>', 'only orders of this status').choices(SEARCHED_STATUSES))
    .option('--order <id>', 'only the order with this id')
    .option(
      '--redis',
      'as Redis has them and gateways were told, such as of a sale that the ledger has lost in a restore',
    )
    .option('--csv', 'for a spreadsheet, as the console exports them: with a byte order mark')
    .json('one JSON object per line')
    .example('rain sale orders m3k9x2a1b2c3d4 --user alice', 'rain sale orders m3k9x2a1b2c3d4 --csv > orders.csv')
    .refuses((_, { csv, json, redis, user, status, order }: OrdersOptions) => {
      if (redis && (user ?? status ?? order) !== undefined)
        return '--redis: lists all orders, expected none of --user, --status, --order';
      return csv && json ? '--csv: expected either --csv or --json' : undefined;
    })
    .runsWithContext(async (context, saleId: string, { csv, json, redis, ...search }: OrdersOptions) => {
      if (redis) return printRedisOrders(sale.terminal, context, saleId, { csv, json });
      const { orders } = acceptedAs(await searchOrders(context, saleId, search), {
        user: '--user',
        status: '--status',
        order: '--order',
      });
      if (json) return void (await pour(sale.terminal, ordersLines(orders)));
      if (csv || !sale.terminal.stdout.isTTY)
        return void (await pour(sale.terminal, await ordersSheet(context, orders, csv ? 'spreadsheet' : 'plain')));
      const rows: (string | number)[][] = [];
      for await (const { orderId, userId, sku, quantity, price, amount, status, changedAt } of orders) {
        if (rows.length === LISTED_MAX) break;
        rows.push([orderId, userId, sku, quantity, price, amount, status, changedAt]);
      }
      const more =
        rows.length < LISTED_MAX
          ? ''
          : `\n… and there may be more; for all orders run: rain sale orders ${saleId} --csv`;
      return {
        value: undefined,
        text:
          rows.length === 0
            ? 'no such order'
            : `${table(['order', 'user', 'sku', 'quantity', 'price', 'amount', 'status', 'since'], rows)}${more}`,
      };
    });

  sale
    .command('totals <id>')
    .summary('units and amounts of orders, by item and status')
    .description(
      'Adds the orders of a sale up, by item and status. The revenue of an item is the amount of its paid orders.',
    )
    .json()
    .example('rain sale totals m3k9x2a1b2c3d4')
    .runsWithContext(async (context, saleId: string) => {
      const { totals } = accepted(await orderTotals(context, saleId));
      return {
        value: { totals },
        text:
          totals.length === 0
            ? 'no orders yet'
            : table(
                ['sku', 'status', 'orders', 'units', 'amount'],
                totals.map(({ sku, status, orders, units, amount }) => [sku, status, orders, units, amount]),
              ),
      };
    });

  for (const { name, verb, done, summary, description } of STEPS) {
    sale
      .command(`${name} <order>`)
      .summary(summary)
      .description(description)
      .dryRun()
      .requiredOption('--reason <text>', 'why, for the record; 1 to 500 characters')
      .json()
      .example(`rain sale ${name} m3k9x2a1b2c3d4-17 --reason "the customer called"`)
      .runsWithContext(
        async (context, orderId: string, { reason, dryRun = false }: { reason: string; dryRun?: boolean }) => {
          const { changed, order } = acceptedAs(await verb(context, orderId, reason, dryRun), { reason: '--reason' });
          const what = `${order.quantity} ${order.sku} of ${order.userId}`;
          return {
            value: { changed, order },
            text: `${orderId}: ${!changed ? `was ${done} before` : dryRun ? `would be ${done}` : done}, ${what}`,
          };
        },
      );
  }
}
