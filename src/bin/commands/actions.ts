import { InvalidArgumentError } from 'commander';
import { iso } from '../../rain/figures.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { CommandFailure, EXIT } from '../exit.ts';
import { table } from '../style.ts';

const ACTIONS_MAX = 500;

export function addActionsCommand(program: RainCommand): void {
  program.command('actions').summary('the record of operator actions')
    .description('Lists the actions of operators, in the console or on a command line, on one rain or sale or on all, newest first. The database rejects every change of this record.')
    .option('--id <id>', 'only actions on this rain or sale')
    .option('--limit <n>', 'how many actions to list', parseCount(1, ACTIONS_MAX), 50)
    .option('--before <n>', 'continue after the action with this number', parseBefore)
    .json().example('rain actions --id m3k9x2a1b2c3d4')
    .runsWithContext(async ({ ledger }, { id: rainId, before, limit }: { id?: string; before?: bigint; limit: number }) => {
      const found = await ledger.latestActions({ limit, ...(rainId !== undefined && { rainId }), ...(before !== undefined && { before }) });
      if (rainId !== undefined && found.length === 0 && !await ledger.rain(rainId) && !await ledger.sale(rainId)) throw new CommandFailure(EXIT.refused, `--id: there is no rain or sale ${rainId}`);
      const actions = found.map(({ at, details = {}, ...plain }) => ({ ...plain, details, at: iso(at) }));
      const next = actions.length === limit ? actions.at(-1)?.id : undefined;
      const rows = table(['number', 'at', 'who', 'what', 'rain or sale', 'details'],
        actions.map(({ id, at, actor, verb, rainId: of = '', details }) => [id, at, actor, verb, of, describeDetails(details)]));
      const more = next === undefined ? '' : `\nthere may be more; continue with --before ${next}`;
      return { value: { actions, ...(next !== undefined && { next }) }, text: (actions.length === 0 ? 'nothing yet' : rows) + more };
    });
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
