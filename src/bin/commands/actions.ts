import { InvalidArgumentError, type Command } from 'commander';
import { CommandFailure, EXIT, print } from '../exit.ts';
import { withContext } from '../context.ts';
import { parseCount } from '../time.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const ACTIONS_MAX = 500;

interface ActionsOptions {
  rain?: string;
  before?: bigint;
  limit: number;
  json?: boolean;
}

export function addActionsCommand(program: Command, terminal: Terminal): void {
  program.command('actions').summary('the record of operator actions')
    .description('Lists the actions of operators, in the console or on a command line, on one rain or on all rains, newest first. The database rejects every change of this record.')
    .option('--rain <id>', 'only actions on this rain')
    .option('--limit <n>', 'how many actions to list', parseCount(1, ACTIONS_MAX), 50)
    .option('--before <n>', 'continue after the action with this number', parseBefore)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain actions --rain m3k9x2a1b2c3d4')
    .action(({ rain, before, limit, json }: ActionsOptions) => withContext(terminal, async (context) => {
      const found = await context.ledger.latestActions({ limit, ...(rain !== undefined && { rainId: rain }), ...(before !== undefined && { before }) });
      if (rain !== undefined && found.length === 0 && !await context.ledger.rain(rain)) throw new CommandFailure(EXIT.refused, `--rain: there is no rain ${rain}`);
      const actions = found.map(({ at, details = {}, ...plain }) => ({ ...plain, details, at: new Date(at).toISOString() }));
      const next = actions.length === limit ? actions.at(-1)?.id : undefined;
      const rows = table(['number', 'at', 'who', 'what', 'rain', 'details'], actions.map(({ id, at, actor, verb, rainId = '', details }) => [id, at, actor, verb, rainId, describeDetails(details)]));
      print(terminal, json, { actions, ...(next !== undefined && { next }) }, `${actions.length === 0 ? 'nothing yet' : rows}${next === undefined ? '' : `\nthere may be more; continue with --before ${next}`}`);
    }));
}

function parseBefore(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('expected the number of an action');
  return BigInt(text);
}

/** `budget 8888.00, packets 1000`. Long details are cut; --json prints them in full. */
function describeDetails(details: object): string {
  const text = Object.entries(details).map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`).join(', ');
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
