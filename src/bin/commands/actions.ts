import { InvalidArgumentError, Option } from 'commander';
import { ACTION_VERBS, type ActionVerb } from '../../ledger/actions.ts';
import { isFingerprint, kindOf, orderDetails, shortened } from '../../rain/actionDetails.ts';
import { iso } from '../../rain/figures.ts';
import { durationTyped, parseCount, parsePast } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { CommandFailure, EXIT } from '../exit.ts';
import { table } from '../style.ts';

const ACTIONS_MAX = 500;
const DETAILS_CHARACTERS_MAX = 160;

interface ActionsOptions {
  rain?: string;
  sale?: string;
  verb?: ActionVerb;
  actor?: string;
  since?: (now: number) => number;
  until?: (now: number) => number;
  before?: bigint;
  limit: number;
}

export function addActionsCommand(program: RainCommand): void {
  program
    .command('actions')
    .summary('the record of operator actions')
    .description(
      'Lists the actions of operators, in the console or on a command line, newest first: all of them, or those that all given options name. The database rejects every change of this record.',
    )
    .option('--rain <id>', 'only actions on this rain')
    .option('--sale <id>', 'only actions on this sale')
    .addOption(new Option('--verb <verb>', 'only actions of this kind').choices(ACTION_VERBS))
    .option('--actor <name>', 'only actions of this operator, named as in the list, such as console:ann')
    .option(
      '--since <time>',
      'only actions of this time and later: 30m, 2h, 7d before now, or a time with its zone',
      parsePast,
    )
    .option('--until <time>', 'only actions before this time', parsePast)
    .option('--limit <n>', 'how many actions to list', parseCount(1, ACTIONS_MAX), 50)
    .option('--before <n>', 'continue after the action with this number', parseBefore)
    .json()
    .example('rain actions --rain m3k9x2a1b2c3d4', 'rain actions --verb block --actor console:ann --since 7d')
    .refuses(misuse)
    .runsWithContext(async ({ ledger }, { rain, sale, since, until, ...options }: ActionsOptions) => {
      const now = Date.now();
      const { limit, ...filter } = options;
      const rainId = rain ?? sale;
      const found = await ledger.latestActions({ ...filter, limit, rainId, since: since?.(now), until: until?.(now) });
      if (
        rainId !== undefined &&
        found.length === 0 &&
        !(await (sale === undefined ? ledger.rain(rainId) : ledger.sale(rainId)))
      ) {
        throw new CommandFailure(
          EXIT.refused,
          sale === undefined ? `--rain: there is no rain ${rainId}` : `--sale: there is no sale ${rainId}`,
        );
      }
      const actions = found.map(({ at, details = {}, ...plain }) => ({ ...plain, details, at: iso(at) }));
      const next = actions.length === limit ? actions.at(-1)?.id : undefined;
      const rows = table(
        ['number', 'at', 'who', 'what', 'rain or sale', 'details'],
        actions.map(({ id, at, actor, verb, rainId: of = '', details }) => [
          id,
          at,
          actor,
          verb,
          of,
          describeDetails({ ...details }),
        ]),
      );
      const more = next === undefined ? '' : `\nthere may be more; continue with --before ${next}`;
      return {
        value: { actions, ...(next !== undefined && { next }) },
        text: (actions.length === 0 ? 'no actions' : rows) + more,
      };
    });
}

function misuse({ rain, sale, since, until }: ActionsOptions): string | undefined {
  if (rain !== undefined && sale !== undefined) return '--rain and --sale: expected one of them';
  const now = Date.now();
  return since && until && since(now) >= until(now) ? '--until: expected a time after --since' : undefined;
}

function parseBefore(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('expected the number of an action');
  return BigInt(text);
}

/** `budget 8888.00, packets 1000`. Long details are cut; --json prints them in full. */
function describeDetails(details: Record<string, unknown>): string {
  const text = orderDetails(details)
    .map(([field, value]) => `${field} ${describeValue(field, value)}`)
    .join(', ');
  return text.length > DETAILS_CHARACTERS_MAX ? `${text.slice(0, DETAILS_CHARACTERS_MAX - 1)}…` : text;
}

function describeValue(field: string, value: unknown): string {
  if (isFingerprint(value)) return shortened(value);
  const kind = kindOf(field, value);
  if (kind === 'moment') return iso(new Date(value as string | number).getTime());
  if (kind === 'length') return durationTyped(value as number);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
