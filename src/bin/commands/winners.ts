import type { BookedRain } from '../../ledger/rains.ts';
import type { QueueContext } from '../../operator/context.ts';
import type { WinnerPage } from '../../operator/winners/list.ts';
import { unknownReason } from '../../operator/restore/presence.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { CommandFailure, EXIT, print } from '../exit.ts';
import { table } from '../style.ts';
import { pour, type Terminal } from '../terminal.ts';

const LISTED_MAX = 500;

interface WinnersOptions {
  search?: string;
  limit?: number;
  csv?: boolean;
  json?: boolean;
}

export function addWinnersCommand(program: RainCommand): void {
  program
    .command('winners <id>')
    .summary('list winners, as a table or CSV')
    .description(
      'Prints the winners, their amounts, and whether they are credited, from the claim log and the ledger. Into a file or a pipe it prints all winners as CSV. On a terminal, or with --search or --limit, it prints a table of the latest winners.',
    )
    .option('--search <text>', 'an exact user id, the number of a packet, or the beginning of packet ids')
    .option('--limit <n>', 'how many winners in the table', parseCount(1, LISTED_MAX))
    .option('--csv', 'all winners for a spreadsheet, as the console exports them: with a byte order mark')
    .json('one JSON object per line')
    .example('rain winners m3k9x2a1b2c3d4 --search alice', 'rain winners m3k9x2a1b2c3d4 --csv > winners.csv')
    .refuses((_, { search, limit, csv, json }: WinnersOptions) => {
      const other = json ? '--json' : search !== undefined ? '--search' : limit !== undefined ? '--limit' : undefined;
      return csv && other !== undefined
        ? `--csv: expected either --csv, which lists all winners, or ${other}`
        : undefined;
    })
    .runsWithQueues(async (context, id: string, options: WinnersOptions) => {
      const { search, limit, csv, json } = options;
      const rain = await context.ledger.rain(id);
      if (!rain) throw new CommandFailure(EXIT.refused, `id: ${await unknownReason(context, id)}`);
      if (search !== undefined || limit !== undefined || (program.terminal.stdout.isTTY && !csv && !json))
        return list(program.terminal, context, rain, options);
      const { winnersLines, winnersSheet } = await import('../../operator/winners/sheet.ts');
      await pour(
        program.terminal,
        json ? winnersLines(context, rain) : await winnersSheet(context, rain, csv ? 'spreadsheet' : 'plain'),
      );
    });
}

async function list(
  terminal: Terminal,
  context: QueueContext,
  rain: BookedRain,
  { search, limit = 100, json }: WinnersOptions,
): Promise<void> {
  const { searchWinners } = await import('../../operator/winners/list.ts');
  const winners: WinnerPage['winners'] = [];
  let page: WinnerPage = { winners };
  // One page is one section of the log. It may hold no match although the next page does.
  do {
    page = await searchWinners(context, rain, { search, at: page.next, limit: limit - winners.length });
    winners.push(...page.winners);
  } while (winners.length < limit && page.next);
  if (json) return void terminal.stdout.write(winners.map((winner) => `${JSON.stringify(winner)}\n`).join(''));
  const none = search === undefined ? 'no user has won yet' : 'no such user has won, and no such packet is won';
  const rows = table(
    ['packet', 'user', 'amount', 'at', 'status'],
    winners.map(({ redPacketId, userId, amount, at, status }) => [redPacketId, userId, amount, at, status]),
  );
  print(
    terminal,
    false,
    undefined,
    `${winners.length === 0 ? none : rows}${page.next ? `\n… and there may be more; for all winners run: rain winners ${rain.id} --csv` : ''}`,
  );
}
