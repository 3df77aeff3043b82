import { Option } from 'commander';
import { z } from 'zod';
import { nextRound } from '../../../operator/campaign/create.ts';
import { createSale, type CreateSaleRequest } from '../../../operator/sale/create.ts';
import { newRainId } from '../../../operator/create.ts';
import { openSale } from '../../../operator/sale/open.ts';
import { ROUNDS_MAX, roundId } from '../../../rain/campaign.ts';
import { iso } from '../../../rain/figures.ts';
import { readJson } from '../../../rain/json.ts';
import { newItems, type Item } from '../../../sale/item.ts';
import { QUANTITY_MAX } from '../../../sale/units.ts';
import { refusalsOf } from '../../../rain/refusal.ts';
import { redisNow } from '../../../store/rains.ts';
import { parseCount, parseDuration, parseMoment } from '../../arguments.ts';
import type { Answer, RainCommand } from '../../command.ts';
import type { OpenContext } from '../../context.ts';
import { acceptedAs, CommandFailure, EXIT, notify } from '../../exit.ts';
import type { Terminal } from '../../terminal.ts';
import { readTextFile } from '../../textFile.ts';
import { ticketRulesOf, TYPED_TICKETS, withTickets, type TicketOptions } from '../tickets.ts';
import { parseItem } from './itemOption.ts';

interface CreateOptions extends TicketOptions {
  item: Item[];
  items?: string;
  title?: string;
  id?: string;
  perUser: number;
  hold: number;
  start: (now: number) => number;
  duration: number;
  campaign?: string;
  round?: number;
  rehearsal?: boolean;
  unlisted?: boolean;
  invitedOnly?: boolean;
  orderService?: 'builtin' | 'webhook';
  load?: boolean;
  dryRun?: boolean;
}

/** The options for the fields of the request. */
const TYPED = {
  id: '--id',
  title: '--title',
  items: '--item',
  perUserMax: '--per-user',
  holdMs: '--hold',
  opensAt: '--start',
  closesAt: '--duration',
  campaign: '--campaign',
  rehearsal: '--rehearsal',
  unlisted: '--unlisted',
  invitedOnly: '--invited-only',
  orderService: '--order-service',
  ...TYPED_TICKETS,
};
const FILE_BYTES_MAX = 1_048_576;

export function addCreateCommand(sale: RainCommand): void {
  withTickets(sale.command('create').summary('plan a sale and book its stock').dryRun())
    .description(
      'Plans a sale: books the units of its items in the stock ledger and prints the id of the sale. With one item at price 0 it is a ticket drop.',
    )
    .option('--item <sku:units@price>', 'an item, e.g. tee:100@19.90; may be repeated', parseItem, [])
    .option(
      '--items <file>',
      'the items as JSON, with name, description, picture, listPrice, perOrderMax and perUserMax where wanted; - reads standard input',
    )
    .option('--title <text>', 'title that buyers see')
    .option('--per-user <n>', 'units that a user may buy in the whole sale', parseCount(1, QUANTITY_MAX), 1)
    .option('--hold <time>', 'how long a reservation waits for its payment', parseDuration, 300_000)
    .addOption(
      new Option('--start <moment>', '+30s from now, or 2026-12-31T20:00:00+08:00')
        .argParser(parseMoment)
        .default(opensNow, 'now'),
    )
    .option('--duration <time>', 'how long the sale is open', parseDuration, 3_600_000)
    .option('--id <id>', 'letters, digits, _ and -; default a generated id')
    .option(
      '--campaign <id>',
      'the sale is a round of this campaign, whose limit per user then counts the units in all of its sales',
    )
    .option('--round <n>', 'number of the round; default the next one', parseCount(1, ROUNDS_MAX))
    .option('--rehearsal', 'a sale to practise: nothing is shipped, and no shop is called')
    .option('--unlisted', 'tell nobody of it: only buyers who know the id see it')
    .option('--invited-only', 'only buyers whose token names the id, in its claim `sales`, see it and buy')
    .addOption(
      new Option(
        '--order-service <name>',
        'who keeps the orders: this product, or the service of the shop; default what ORDER_SERVICE says',
      ).choices(['builtin', 'webhook']),
    )
    .option('--load', 'put it on sale immediately')
    .json()
    .example(
      'rain sale create --title "New year" --item tee:100@19.90 --item mug:50@9.90 --per-user 2 --hold 60s --start +10s --duration 60s --load',
      'rain sale create --item seat:500@0 --load',
    )
    .refuses(({ item, items, campaign, round }: CreateOptions) => {
      if (item.length === 0 && items === undefined) return '--item: missing, expected an item such as tee:100@19.90';
      if (item.length > 0 && items !== undefined) return '--items: expected either --item or --items, not both';
      return round !== undefined && campaign === undefined
        ? '--campaign: missing, expected the campaign of this round'
        : undefined;
    })
    .runsWithContext((context, options: CreateOptions) => create(sale.terminal, context, options));
}

/** The default start, with its word for the manual. */
const opensNow: (now: number) => number = Object.assign((now: number) => now, { toString: () => 'now' });

async function create(terminal: Terminal, context: OpenContext, options: CreateOptions): Promise<Answer> {
  const { title, perUser, hold, duration, rehearsal, unlisted, invitedOnly, orderService, dryRun, load } = options;
  const ticketRules = ticketRulesOf(options);
  const now = await redisNow(context.redis);
  const opensAt = options.start(now);
  // `createSale` refuses an unknown campaign.
  const campaign =
    options.campaign === undefined
      ? undefined
      : { id: options.campaign, round: options.round ?? (await nextRound(context, options.campaign)) };
  // Chosen here, so that the id is known even if the answer is lost.
  const id = options.id ?? (campaign ? roundId({ campaignId: campaign.id, round: campaign.round }) : newRainId(now));
  if (opensAt < now)
    notify(
      terminal,
      `--start: ${iso(opensAt)} has passed already; the sale opens at once, and closes at ${iso(opensAt + duration)}`,
    );
  const request: CreateSaleRequest = {
    id,
    items: options.items === undefined ? options.item : await readItems(terminal, options.items),
    perUserMax: perUser,
    holdMs: hold,
    opensAt,
    closesAt: opensAt + duration,
    ...(title !== undefined && { title }),
    ...(campaign && { campaign }),
    ...(rehearsal && { rehearsal }),
    ...(unlisted && { unlisted }),
    ...(invitedOnly && { invitedOnly }),
    ...(orderService && { orderService }),
    ...(ticketRules && { ticketRules }),
  };
  const { saleId, stocked, ...times } = acceptedAs(
    await createSale(context, request, { dryRun }).catch((error: unknown) => {
      if (!dryRun)
        notify(
          terminal,
          `it is unknown whether the sale ${id} was created; check with: rain sale show ${id}, then continue with: rain sale load ${id}`,
        );
      throw error;
    }),
    TYPED,
  );
  const window = { opensAt: iso(times.opensAt), closesAt: iso(times.closesAt) };
  if (dryRun) {
    const units = request.items.map((item) => `${item.units} ${item.sku} at ${item.price}`).join(', ');
    const text = `${stocked ? `${units} would be put into the stock` : `the sale ${saleId} is in the ledger already: no units would move`}\nthe sale would open at ${window.opensAt} and close at ${window.closesAt}`;
    return { value: { saleId, ...window, stocked }, text };
  }
  if (load)
    acceptedAs(
      await openSale(context, saleId).catch((error: unknown) => {
        notify(terminal, `the sale ${saleId} is created but not on sale; continue with: rain sale load ${saleId}`);
        throw error;
      }),
      TYPED,
    );
  return { value: { saleId, state: load ? 'loaded' : 'draft', ...window }, text: saleId };
}

async function readItems(terminal: Terminal, path: string): Promise<Item[]> {
  const value = readJson(await readTextFile(terminal, '--items', path, FILE_BYTES_MAX));
  if (!Array.isArray(value))
    throw new CommandFailure(
      EXIT.usage,
      `--items: ${path} is not a JSON list; expected [{"sku":"tee","units":100,"price":"19.90"}]`,
    );
  const parsed = z.object({ items: newItems }).safeParse({ items: value });
  if (!parsed.success)
    throw new CommandFailure(
      EXIT.usage,
      ...refusalsOf(parsed.error, 'items').map(({ field, reason }) => `--items: ${field}: ${reason}`),
    );
  return parsed.data.items;
}
