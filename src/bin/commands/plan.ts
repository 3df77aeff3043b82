import type { Command } from 'commander';
import { createRain, newRainId, type CreateRequest } from '../../operator/create.ts';
import { loadRain } from '../../operator/load.ts';
import { previewRain } from '../../operator/preview.ts';
import { redisNow } from '../../store/rains.ts';
import { ROUNDS_MAX, roundId } from '../../rain/campaign.ts';
import { formatRefusal } from '../../rain/refusal.ts';
import type { RequestedTerms, TermDescription } from '../../rain/terms.ts';
import { SHARDS_MAX } from '../../store/keys.ts';
import { accepted, CommandFailure, EXIT, print, notify } from '../exit.ts';
import { withContext, type OpenContext } from '../context.ts';
import { parseCount, parseDuration, parseMoment } from '../time.ts';
import { printDryRun, withDryRun } from '../dryRun.ts';
import { describePreview } from '../previewText.ts';
import { bar } from '../progress.ts';
import type { Terminal } from '../terminal.ts';
import { budgeted, planOf, type PlanOptions } from './budgeted.ts';
import { needsCampaign, describeTerms, termsOf, withTerms, type TermOptions } from './terms.ts';

export interface CreateOptions extends PlanOptions, TermOptions {
  start: (now: number) => number;
  duration: number;
  title?: string;
  id?: string;
  seed?: string;
  shards?: number;
  campaign?: string;
  round?: number;
  load?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export function addPlanCommands(program: Command, terminal: Terminal): void {
  planned(program.command('create')).summary('plan a rain and reserve its budget')
    .description('Plans a rain: reserves the budget in the ledger and prints the id of the rain.')
    .option('--id <id>', 'letters, digits, _ and -; default a generated id')
    .option('--shards <n>', 'Redis shards; a round has the shards of its campaign', parseCount(1, SHARDS_MAX))
    .option('--campaign <id>', 'the rain is a round of this campaign; see rain campaign')
    .option('--round <n>', 'number of the round', parseCount(1, ROUNDS_MAX))
    .addHelpText('after', '\nExample:\n  rain create --budget 8888.00 --packets 1000 --start +30s --duration 60s --load')
    .action((options: CreateOptions) => withContext(terminal, (context) => create(terminal, context, options)));

  program.command('load <id>').summary('preallocate the packets of a rain')
    .description('Preallocates the packets in Redis. If the command is killed, run it again: it continues where it stopped.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain load m3k9x2a1b2c3d4')
    .action((id: string, { json }: { json?: boolean }) => withContext(terminal, async (context) => {
      const packets = await load(terminal, context, id);
      print(terminal, json, { rainId: id, packets }, `${id}: ${packets} packets are loaded`);
    }));
}

/** The options of every new rain, of single rains and of rounds. */
export function planned(command: Command, ...which: TermDescription['suits'][]): Command {
  const timed = withDryRun(budgeted(command))
    .requiredOption('--start <moment>', '+30s from now, or 2026-12-31T20:00:00+08:00', parseMoment)
    .requiredOption('--duration <time>', 'how long the rain is open, e.g. 60s', parseDuration)
    .option('--title <text>', 'title that players see');
  return withTerms(timed, ...which)
    .option('--seed <hex>', '64 hex digits; reproduces an earlier rain. Once that rain is settled, its packets are public')
    .option('--load', 'preallocate the packets immediately')
    .option('--json', 'print JSON');
}

export async function create(terminal: Terminal, context: OpenContext, options: CreateOptions): Promise<void> {
  const now = await redisNow(context.redis);
  const opensAt = options.start(now);
  // Chosen here, so that the id is known even if the answer is lost.
  const campaign = campaignOf(options);
  const id = options.id ?? (campaign ? roundId({ campaignId: campaign.id, round: campaign.round }) : newRainId(now));
  const terms = termsOf(options);
  const request: CreateRequest & { terms: RequestedTerms } = {
    plan: planOf(options),
    id, opensAt, closesAt: opensAt + options.duration, ...(options.shards !== undefined && { shards: options.shards }),
    ...(campaign && { campaign }),
    terms, ...(options.title !== undefined && { title: options.title }), ...(options.seed !== undefined && { seed: options.seed }),
  };
  if (options.dryRun) return printDryRunOf(terminal, context, request, options);
  const created = accepted(await createRain(context, request).catch((error: unknown) => {
    notify(terminal, `it is unknown whether the rain ${id} was created; check with: rain show ${id}, then continue with: rain load ${id}`);
    throw error;
  }));
  if (options.load) {
    try {
      await load(terminal, context, created.rainId);
    } catch (error) {
      notify(terminal, `the rain ${created.rainId} is created but not loaded; load it with: rain load ${created.rainId}`);
      throw error;
    }
  }
  if (created.commitment !== undefined && !options.json) notify(terminal, `commitment ${created.commitment}`);
  print(terminal, options.json, {
    rainId: created.rainId, state: options.load ? 'loaded' : 'draft',
    opensAt: new Date(created.opensAt).toISOString(), closesAt: new Date(created.closesAt).toISOString(),
    ...(created.commitment !== undefined && { commitment: created.commitment }),
  }, created.rainId);
}

async function printDryRunOf(terminal: Terminal, context: OpenContext, request: CreateRequest & { terms: RequestedTerms }, { id, campaign, load: loads, seed, json }: CreateOptions): Promise<void> {
  const created = accepted(await createRain(context, request, { dryRun: true }));
  const { rainId, opensAt, closesAt, funded = false } = created;
  const times = { opensAt: new Date(opensAt).toISOString(), closesAt: new Date(closesAt).toISOString() };
  const preview = previewRain(request.plan, 1, seed === undefined ? undefined : () => seed);
  const named = id !== undefined || campaign !== undefined;
  const { budget } = request.plan as PlanOptions;
  const { terms } = request;
  const money = !funded ? `the rain ${rainId} is in the ledger already: no money would move` : terms.rehearsal ? `${budget} of test money would be reserved` : `${budget} would leave the operator's account`;
  const text = [
    money, `the rain${named ? ` ${rainId}` : ''} would open at ${times.opensAt} and close at ${times.closesAt}${loads ? ', its packets would be loaded immediately' : ''}`,
    ...describeTerms(terms).map(([name, text]) => `${name}: ${text}`), '',
    preview.ok ? describePreview(preview) : preview.refusals.map(formatRefusal).join('\n'),
  ];
  printDryRun(terminal, json, { ...(named && { rainId }), ...times, funded, ...(preview.ok && { preview }) }, text.join('\n'));
}

function campaignOf({ campaign, round, ...options }: CreateOptions): { id: string; round: number } | undefined {
  if (campaign !== undefined && round !== undefined) return { id: campaign, round };
  if (campaign !== undefined) throw new CommandFailure(EXIT.usage, '--round: missing, expected the number of the round; rain campaign add-round takes the next number');
  if (round !== undefined || needsCampaign(termsOf(options))) throw new CommandFailure(EXIT.usage, '--campaign: missing, expected the campaign of this round');
  return undefined;
}

async function load(terminal: Terminal, context: OpenContext, rainId: string): Promise<number> {
  const progress = bar(terminal, 'loading', 'packets');
  try {
    return accepted(await loadRain(context, rainId, (count, packets) => progress.update(count, packets))).packets;
  } finally {
    progress.stop();
  }
}
