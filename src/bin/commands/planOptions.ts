import { InvalidArgumentError, Option, type Command } from 'commander';
import { PACKETS_MAX } from '../../rain/plan.ts';
import {
  requestedTermNames,
  describeTerm,
  TERM_NAMES,
  termWords,
  type RequestedTermName,
  type RequestedTerms,
  type TermDescription,
  type Terms,
} from '../../rain/terms.ts';
import type { RequestedRow, Rows } from '../../rain/split/method.ts';
import { DEFAULT_METHOD, METHOD_NAMES, METHODS, type MethodName } from '../../rain/split/methods.ts';
import { parseCount, typedAmount } from '../arguments.ts';
import { CommandFailure, EXIT } from '../exit.ts';

/** How a budget is split into packets: for a new rain, for a top-up, or for a preview. */
export interface PlanOptions {
  budget: string;
  packets: number;
  split: MethodName;
  min?: string;
  max?: string;
}

/** The split methods that take a list; each has its own option. */
const LISTS = METHODS.filter((method) => method.rows !== undefined);

/** Appends a row such as `10x88.80`, its columns in their order. */
function parseRow({ columns, option }: Rows) {
  const pattern = new RegExp(
    `^${Object.values(columns)
      .map(({ kind }) => (kind === 'whole' ? '(\\d{1,7})' : '(\\S+)'))
      .join('x')}$`,
  );
  return (text: string, rows: RequestedRow[]): RequestedRow[] => {
    const match = pattern.exec(text);
    if (!match) throw new InvalidArgumentError(`expected ${option.value} such as ${option.example}`);
    return [
      ...rows,
      Object.fromEntries(
        Object.entries(columns).map(([name, { kind }], i) => [
          name,
          kind === 'whole' ? Number(match[i + 1]) : typedAmount(match[i + 1]!),
        ]),
      ),
    ];
  };
}

export function budgeted<C extends Command>(command: C): C {
  command
    .requiredOption('--budget <amount>', 'total amount of all packets, e.g. 8888.00 or 8888', typedAmount)
    .requiredOption('--packets <n>', `how many red packets, at most ${PACKETS_MAX}`, Number)
    .addOption(
      new Option('--split <method>', 'how the budget is split').choices(METHOD_NAMES).default(DEFAULT_METHOD.name),
    );
  for (const { name, rows } of LISTS) {
    const { flag, value, example, meaning } = rows.option;
    command.option(
      `--${flag} <${value}>`,
      `${meaning}, e.g. ${example}; may be repeated; means --split ${name}`,
      parseRow(rows),
      [],
    );
  }
  return command
    .option('--min <amount>', 'smallest packet (default 0.01)', typedAmount)
    .option('--max <amount>', 'largest packet (default the budget)', typedAmount);
}

/**
 * The plan as the operator commands take it. Options that were not given stay absent, because the plan is recorded as
 * requested.
 */
export function planOf(options: PlanOptions) {
  const { budget, packets, min, max } = options;
  return {
    budget,
    packets,
    split: splitOf(options),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
}

/** Whether a way to split was typed, not only the default. */
export function isSplitTyped(command: Command): boolean {
  return ['split', ...LISTS.map(({ rows }) => rows.option.flag)].some(
    (name) => command.getOptionValueSource(name) === 'cli',
  );
}

function splitOf({ split, ...options }: PlanOptions) {
  const given = new Map<string, unknown>(Object.entries(options));
  const rowsOf = ({ rows }: (typeof LISTS)[number]) => (given.get(rows.option.flag) ?? []) as RequestedRow[];
  const [chosen, other] = LISTS.filter((method) => rowsOf(method).length > 0);
  if (chosen && other)
    throw new CommandFailure(
      EXIT.usage,
      `--${other.rows.option.flag}: --${chosen.rows.option.flag} was given as well; expected one of them`,
    );
  const method = chosen ?? LISTS.find(({ name }) => name === split);
  return method ? { method: method.name, [method.rows.field]: rowsOf(method) } : { method: split };
}

export type TermOptions = { -readonly [N in RequestedTermName]?: RequestedTerms[N] };

/** Adds one option for each term. @param which kind of rains; absent: all kinds */
export function withTerms<C extends Command>(command: C, ...which: TermDescription['suits'][]): C {
  for (const name of requestedTermNames(...which)) {
    const term = describeTerm(name);
    const text = term.asks ?? term.tells;
    if (term.kind === 'flag') command.option(`--${termWords(name)}`, text);
    else command.option(`--${termWords(name)} <n>`, text, parseCount(term.min, term.max));
  }
  return command;
}

/** The terms as the operator commands take them: a term without its option stays absent. */
export function termsOf(options: TermOptions): RequestedTerms {
  return Object.fromEntries(
    requestedTermNames().flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

/** A line for each term that differs from the default: its name and its meaning for players. */
export function describeTerms(terms: Terms): [string, string][] {
  return TERM_NAMES.flatMap((name): [string, string][] => {
    const { kind, tells } = describeTerm(name);
    if (terms[name] === undefined) return [];
    return [[termWords(name, ' '), kind === 'flag' ? tells : `${terms[name]}. ${tells}`]];
  });
}

export function needsCampaign(terms: RequestedTerms): boolean {
  return (Object.keys(terms) as RequestedTermName[]).some((name) => describeTerm(name).suits === 'rounds');
}
