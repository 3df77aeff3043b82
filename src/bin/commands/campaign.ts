import { Readable } from 'node:stream';
import { SHARDS_MAX } from '../../store/keys.ts';
import type { OperatorContext } from '../../operator/context.ts';
import { createCampaign, nextRound } from '../../operator/campaign/create.ts';
import { excludeBuyers, excludeListed, excludeWinners, readmit } from '../../operator/campaign/exclude.ts';
import {
  CAMPAIGNS_MAX,
  listCampaigns,
  showCampaign,
  showCampaignSales,
  type CampaignDetail,
  type CampaignSales,
  type CampaignView,
} from '../../operator/campaign/show.ts';
import type { SaleView } from '../../operator/sale/show.ts';
import { LIST_BYTES_MAX } from '../../operator/sheetReader.ts';
import { ROUNDS_MAX } from '../../rain/campaign.ts';
import { termWords, WINS_PER_USER_MAX, type Terms } from '../../rain/terms.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { accepted, CommandFailure, EXIT, notify } from '../exit.ts';
import { facts, paintState, table } from '../style.ts';
import type { Terminal } from '../terminal.ts';
import { readInputFile } from '../inputFile.ts';
import { understoodText } from '../understoodText.ts';
import { create, planned, type CreateOptions } from './plan.ts';

const ADD_ROUND = 'rain campaign add-round autumn --budget 888.00 --packets 100 --start +5m --duration 30s --load';

interface ExcludeOptions {
  winnersOf?: string;
  buyersOf?: string;
  list?: string;
}

export function addCampaignCommands(program: RainCommand): void {
  const campaign = program
    .command('campaign')
    .summary('several rains with a common win limit per user')
    .description(
      'A campaign is a series of rains, its rounds, with one win limit per user over all rounds. Rounds may overlap.',
    )
    .example('rain campaign create --id autumn --wins-per-user 1', ADD_ROUND);

  campaign
    .command('create')
    .summary('create a campaign')
    .description('Creates a campaign and prints its id. No money moves: each round has its own budget.')
    .requiredOption('--wins-per-user <n>', 'in how many rounds a user may win', parseCount(1, WINS_PER_USER_MAX))
    .option('--title <text>', 'title of the campaign')
    .option('--id <id>', 'letters, digits, _ and -; default a generated id. The rounds are called <id>.1, <id>.2 …')
    .option('--shards <n>', 'Redis shards of every round', parseCount(1, SHARDS_MAX), 1)
    .option('--roll-over', 'money that nobody has won in a round goes into the next round')
    .json()
    .example('rain campaign create --id autumn --title "Autumn party" --wins-per-user 2')
    .runsWithContext(
      async (
        context,
        options: { id?: string; title?: string; winsPerUser: number; shards: number; rollOver?: boolean },
      ) => {
        const { id, title, winsPerUser, shards, rollOver = false } = options;
        const terms = { winsPerUserMax: winsPerUser, shards, rollOver };
        const { campaignId, uneven } = accepted(
          await createCampaign(context, {
            ...terms,
            ...(id !== undefined && { id }),
            ...(title !== undefined && { title }),
          }),
        );
        if (uneven !== undefined) notify(program.terminal, uneven);
        return { value: { campaignId, ...(uneven !== undefined && { uneven }) }, text: campaignId };
      },
    );

  planned(campaign.command('add-round <campaign>'), 'rounds')
    .summary('plan another round of a campaign')
    .description('Plans a round: a rain of the campaign, called <campaign>.<round>. All commands for rains work on it.')
    .option('--round <n>', 'number of the round; default the next one', parseCount(1, ROUNDS_MAX))
    .example(ADD_ROUND)
    .runsWithContext(async (context, id: string, options: CreateOptions) => {
      // `create` refuses an unknown campaign.
      const round = options.round ?? (await nextRound(context, id));
      return create(program.terminal, context, { ...options, campaign: id, round });
    });

  campaign
    .command('exclude <campaign>')
    .summary('users who win and buy nothing in a campaign')
    .description(
      'Excludes the winners of a settled rain or of another campaign, the buyers of a settled sale or of another campaign, or the users of an .xlsx or a CSV with the column user (or userId, as exported lists have it), or number for the list of participants. They win nothing in its rains and buy nothing in its sales, also in those that are on; what they have won and bought there before stays theirs.',
    )
    .option('--winners-of <id>', 'a settled rain, or a campaign whose rains are settled')
    .option('--buyers-of <id>', 'a settled sale, or a campaign whose sales are settled')
    .option('--list <file>', 'the users as .xlsx or CSV; - is stdin; what was understood of it is printed first')
    .json()
    .example(
      'rain campaign exclude autumn --winners-of spring',
      'rain campaign exclude autumn --buyers-of newyear',
      'rain campaign exclude autumn --list board.csv',
    )
    .refuses((_campaign: string, { winnersOf, buyersOf, list }: ExcludeOptions) =>
      [winnersOf, buyersOf, list].filter((one) => one !== undefined).length === 1
        ? undefined
        : '--winners-of: expected one of --winners-of, --buyers-of and --list',
    )
    .runsWithContext(async (context, id: string, { winnersOf, buyersOf, list = '-' }: ExcludeOptions) => {
      const excluding =
        winnersOf !== undefined
          ? excludeWinners(context, id, winnersOf)
          : buyersOf !== undefined
            ? excludeBuyers(context, id, buyersOf)
            : excludeList(program.terminal, context, id, list);
      const { excluded, total } = accepted(await excluding);
      return { value: { excluded, total }, text: `${excluded} excluded, ${total} in all` };
    });

  campaign
    .command('readmit <campaign>')
    .summary('take all exclusions of a campaign back')
    .description('Takes all exclusions of a campaign back, as long as none of its rounds is loaded.')
    .json()
    .example('rain campaign readmit autumn')
    .runsWithContext(async (context, id: string) => {
      const { readmitted } = accepted(await readmit(context, id));
      return { value: { readmitted }, text: `${readmitted} readmitted` };
    });

  campaign
    .command('list')
    .summary('all campaigns, newest first')
    .description('Lists all campaigns, newest first.')
    .option('--limit <n>', 'how many campaigns to list', parseCount(1, CAMPAIGNS_MAX), 100)
    .json()
    .example('rain campaign list')
    .runsWithContext(async (context, { limit }: { limit: number }) => {
      const campaigns = await listCampaigns(context, limit);
      return { value: { campaigns }, text: describeList(campaigns) };
    });

  campaign
    .command('show <id>')
    .summary('one campaign with its rounds')
    .description(
      'Shows a campaign, its rounds and the number of its winners; and its sales with the number of their buyers.',
    )
    .json()
    .example('rain campaign show autumn')
    .runsWithContext(async (context, id: string) => {
      const found = await showCampaign(context, id);
      if (!found) throw new CommandFailure(EXIT.refused, `id: there is no campaign ${id}`);
      const sold = await showCampaignSales(context, found);
      return { value: { ...found, ...sold }, text: [describe(found), ...describeSales(found, sold)].join('\n\n') };
    });
}

async function excludeList(terminal: Terminal, context: OperatorContext, id: string, list: string) {
  const bytes = await readInputFile(terminal, 'list', list, LIST_BYTES_MAX);
  const read = (dryRun: boolean) => excludeListed(context, id, Readable.from([bytes]), { dryRun });
  const { understood, users, first } = accepted(await read(true));
  notify(
    terminal,
    understoodText(
      understood,
      users,
      first.map((user) => [user]),
    ),
  );
  return read(false);
}

function describeList(campaigns: readonly CampaignView[]): string {
  if (campaigns.length === 0) return 'no campaign yet; create one with: rain campaign create --help';
  return table(
    ['id', 'title', 'wins per user', 'rounds', 'roll-over', 'created'],
    campaigns.map(({ campaignId, title, winsPerUserMax, rounds, rollOver, createdAt }) => [
      campaignId,
      title,
      winsPerUserMax,
      rounds,
      rollOver ? 'yes' : 'no',
      createdAt,
    ]),
  );
}

function describe({ campaignId, title, winsPerUserMax, rollOver, rounds, winners, excluded }: CampaignDetail): string {
  const head = facts([
    ['campaign', `${campaignId}  ${title}`],
    ['wins per user', `at most ${winsPerUserMax}`],
    ['roll-over', rollOver ? 'money that nobody has won goes into the next round' : 'no'],
    ['winners', `${winners.users}, with ${winners.wins} packets credited`],
    ...(winners.beyond === 0
      ? []
      : [['LIMIT EXCEEDED', `${winners.beyond} users are credited with more than ${winsPerUserMax} packets`]]),
    ...(excluded.users === 0 ? [] : [['excluded', `${excluded.users} users`]]),
    ...(excluded.credits === 0
      ? []
      : [
          ['EXCLUDED, CREDITED', `${excluded.credits} packets: they had won before, or Redis had lost who is excluded`],
        ]),
  ]);
  if (rounds.length === 0) return `${head}\nno rain yet; plan one with: rain campaign add-round ${campaignId} --help`;
  return `${head}\n\n${table(
    ['round', 'title', 'state', 'opens', 'budget', 'packets', 'left', 'won', 'credited', 'terms'],
    rounds.map((rain) => [
      rain.rainId,
      rain.title,
      paintState(rain.state),
      rain.opensAt,
      rain.budget,
      rain.packets,
      rain.left,
      rain.claims,
      rain.credited,
      termsInWords(rain.terms),
    ]),
  )}`;
}

/** Nothing for a campaign without sales. */
function describeSales({ winsPerUserMax }: CampaignDetail, { sales, buyers }: CampaignSales): string[] {
  if (sales.length === 0) return [];
  const head = facts([
    ['buyers', `${buyers.users}, with ${buyers.units} units; at most ${winsPerUserMax} each`],
    ...(buyers.beyond === 0
      ? []
      : [['LIMIT EXCEEDED', `${buyers.beyond} users hold more than ${winsPerUserMax} units`]]),
  ]);
  const sum = (items: SaleView['items'], part: 'units' | 'left' | 'reserved' | 'sold') =>
    items.reduce((total, item) => total + item[part], 0);
  return [
    head,
    table(
      ['sale', 'title', 'state', 'opens', 'units', 'left', 'reserved', 'sold'],
      sales.map(({ saleId, title, state, opensAt, items }) => [
        saleId,
        title,
        paintState(state),
        opensAt,
        sum(items, 'units'),
        sum(items, 'left'),
        sum(items, 'reserved'),
        sum(items, 'sold'),
      ]),
    ),
  ];
}

/** `winsMax` is left out: it is the same in all rounds. */
function termsInWords({ winsMax: _, ...terms }: Terms): string {
  return (
    Object.keys(terms)
      .map((name) => termWords(name, ' '))
      .join(', ') || 'none'
  );
}
