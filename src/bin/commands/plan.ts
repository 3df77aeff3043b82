import { createRain, newPlacedId, type CreateRequest } from '../../operator/create.ts';
import { loadRain } from '../../operator/load.ts';
import { previewRain } from '../../operator/preview.ts';
import { redisNow } from '../../store/rains.ts';
import { ROUNDS_MAX, roundId } from '../../rain/campaign.ts';
import { iso } from '../../rain/figures.ts';
import { formatRefusal } from '../../rain/refusal.ts';
import type { RequestedTerms, TermDescription } from '../../rain/terms.ts';
import { SHARDS_MAX } from '../../store/keys.ts';
import { parseCount, parseDuration, parseMoment } from '../arguments.ts';
import type { Answer, RainCommand } from '../command.ts';
import type { OpenContext } from '../context.ts';
import { accepted, acceptedAs, CommandFailure, EXIT, notify } from '../exit.ts';
import { bar } from '../progress.ts';
import type { Terminal } from '../terminal.ts';
import {
  budgeted,
  describeTerms,
  isSplitTyped,
  needsCampaign,
  planOf,
  termsOf,
  withTerms,
  type PlanOptions,
  type TermOptions,
} from './planOptions.ts';
import { describePreview } from './preview.ts';
import { greetingOf, TYPED_GREETING, withGreeting, type TypedGreeting } from './greeting.ts';
import { fieldAsTyped, fillIn, withTemplate, type PlanRequest, type TypedForm } from './templateOptions.ts';
import { ticketRulesOf, TYPED_TICKETS, withTickets, type TicketOptions } from './tickets.ts';

/** The options for the fields of a new rain. */
const TYPED = { ...TYPED_TICKETS, ...TYPED_GREETING };

export interface CreateOptions extends PlanOptions, TermOptions, TicketOptions, TypedGreeting {
  start: (now: number) => number;
  duration: number;
  title?: string;
  id?: string;
  seed?: string;
  shards?: number;
  campaign?: string;
  round?: number;
  template?: string;
  load?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

type Request = CreateRequest & { plan: PlanRequest; terms: RequestedTerms };

export function addPlanCommands(program: RainCommand): void {
  withTemplate(planned(program.command('create')))
    .summary('plan a rain and reserve its budget')
    .description('Plans a rain: reserves the budget in the ledger and prints the id of the rain.')
    .option('--id <id>', 'letters, digits, _ and -; default a generated id')
    .option('--shards <n>', 'Redis shards; a round has the shards of its campaign', parseCount(1, SHARDS_MAX))
    .option('--campaign <id>', 'the rain is a round of this campaign; see rain campaign')
    .option('--round <n>', 'number of the round', parseCount(1, ROUNDS_MAX))
    .example(
      'rain create --budget 8888.00 --packets 1000 --start +30s --duration 60s --load',
      'rain create --template party --start +5m',
    )
    .runsWithContext((context, options: CreateOptions, command: RainCommand) =>
      create(program.terminal, context, options, command),
    );

  program
    .command('load <id>')
    .summary('preallocate the packets of a rain')
    .description(
      'Preallocates the packets in Redis. If the command is killed, run it again: it continues where it stopped.',
    )
    .json()
    .example('rain load m3k9x2a1b2c3d4')
    .runsWithContext(async (context, id: string) => {
      const packets = await load(program.terminal, context, id);
      return { value: { rainId: id, packets }, text: `${id}: ${packets} packets are loaded` };
    });
}

/** The options of every new rain, of single rains and of rounds. */
export function planned(command: RainCommand, ...which: TermDescription['suits'][]): RainCommand {
  const timed = budgeted(command)
    .dryRun()
    .requiredOption('--start <moment>', '+30s from now, or 2026-12-31T20:00:00+08:00', parseMoment)
    .requiredOption('--duration <time>', 'how long the rain is open, e.g. 60s', parseDuration)
    .option('--title <text>', 'title that players see');
  return withGreeting(withTickets(withTerms(timed, ...which)))
    .option(
      '--seed <hex>',
      '64 hex digits; reproduces an earlier rain. Once that rain is settled, its packets are public',
    )
    .option('--load', 'preallocate the packets immediately')
    .json();
}

/** @param command only where a template may fill in what was not typed */
export async function create(
  terminal: Terminal,
  context: OpenContext,
  options: CreateOptions,
  command?: RainCommand,
): Promise<Answer> {
  const { seed, template } = options;
  const campaign = campaignOf(options);
  const { durationMs, ...form } =
    command && template !== undefined
      ? await fillIn(context, template, typedForm(options, isSplitTyped(command)), campaign !== undefined)
      : typedForm(options);
  const typed = command && template !== undefined ? (field: string) => fieldAsTyped(command, template, field) : TYPED;
  const now = await redisNow(context.redis);
  const opensAt = options.start(now);
  // Chosen here, so that the id is known even if the answer is lost.
  const id =
    options.id ??
    (campaign
      ? roundId({ campaignId: campaign.id, round: campaign.round })
      : newPlacedId(now, form.shards ?? 1, context.redis));
  const request: Request = {
    ...form,
    id,
    opensAt,
    closesAt: opensAt + durationMs,
    ...(campaign && { campaign }),
    ...(seed !== undefined && { seed }),
  };
  if (options.dryRun) return dryRunOf(context, request, options, typed);
  const { rainId, commitment, uneven, ...times } = acceptedAs(
    await createRain(context, request).catch((error: unknown) => {
      notify(
        terminal,
        `it is unknown whether the rain ${id} was created; check with: rain show ${id}, then continue with: rain load ${id}`,
      );
      throw error;
    }),
    typed,
  );
  if (uneven !== undefined) notify(terminal, uneven);
  if (options.load) {
    await load(terminal, context, rainId).catch((error: unknown) => {
      notify(terminal, `the rain ${rainId} is created but not loaded; load it with: rain load ${rainId}`);
      throw error;
    });
  }
  if (commitment !== undefined && !options.json) notify(terminal, `commitment ${commitment}`);
  const value = {
    rainId,
    state: options.load ? 'loaded' : 'draft',
    opensAt: iso(times.opensAt),
    closesAt: iso(times.closesAt),
    ...(commitment !== undefined && { commitment }),
    ...(uneven !== undefined && { uneven }),
  };
  return { value, text: rainId };
}

/**
 * The typed part of the form.
 * @param withSplit false: the way to split is only the default, which a template may replace
 */
function typedForm(options: CreateOptions, withSplit = true): TypedForm {
  const { title, shards, duration } = options;
  const { split, ...plan } = planOf(options);
  const [ticketRules, greeting] = [ticketRulesOf(options), greetingOf(options)];
  return {
    plan: { ...plan, ...(withSplit && { split }) },
    durationMs: duration,
    terms: termsOf(options),
    ...(shards !== undefined && { shards }),
    ...(ticketRules && { ticketRules }),
    ...(greeting && { greeting }),
    ...(title !== undefined && { title }),
  };
}

async function dryRunOf(
  context: OpenContext,
  request: Request,
  { id, campaign, load: loads, seed }: CreateOptions,
  typed: Parameters<typeof acceptedAs>[1],
): Promise<Answer> {
  const { plan, terms } = request;
  const {
    rainId,
    opensAt,
    closesAt,
    funded = false,
    uneven,
  } = acceptedAs(await createRain(context, request, { dryRun: true }), typed);
  const times = { opensAt: iso(opensAt), closesAt: iso(closesAt) };
  const preview = previewRain(plan, 1, seed === undefined ? undefined : () => seed);
  const named = id !== undefined || campaign !== undefined;
  const reserved = terms.rehearsal
    ? `${plan.budget} of test money would be reserved`
    : `${plan.budget} would leave the operator's account`;
  const text = [
    funded ? reserved : `the rain ${rainId} is in the ledger already: no money would move`,
    `the rain${named ? ` ${rainId}` : ''} would open at ${times.opensAt} and close at ${times.closesAt}${loads ? ', its packets would be loaded immediately' : ''}`,
    ...(uneven === undefined ? [] : [uneven]),
    ...describeTerms(terms).map(([name, meaning]) => `${name}: ${meaning}`),
    '',
    preview.ok ? describePreview(preview) : preview.refusals.map(formatRefusal).join('\n'),
  ];
  return {
    value: {
      ...(named && { rainId }),
      ...times,
      funded,
      ...(uneven !== undefined && { uneven }),
      ...(preview.ok && { preview }),
    },
    text: text.join('\n'),
  };
}

function campaignOf({ campaign, round, ...options }: CreateOptions): { id: string; round: number } | undefined {
  if (campaign !== undefined && round !== undefined) return { id: campaign, round };
  if (campaign !== undefined)
    throw new CommandFailure(
      EXIT.usage,
      '--round: missing, expected the number of the round; rain campaign add-round takes the next number',
    );
  if (round !== undefined || needsCampaign(termsOf(options)))
    throw new CommandFailure(EXIT.usage, '--campaign: missing, expected the campaign of this round');
  return undefined;
}

async function load(terminal: Terminal, context: OpenContext, rainId: string): Promise<number> {
  const progress = bar(terminal, 'loading', 'packets');
  return accepted(await loadRain(context, rainId, progress.update).finally(progress.stop)).packets;
}
