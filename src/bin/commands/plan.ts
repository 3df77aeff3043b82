import { InvalidArgumentError, type Command } from 'commander';
import { createRain, newRainId } from '../../operator/create.ts';
import { loadRain } from '../../operator/load.ts';
import { redisNow } from '../../grab/reading.ts';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { ROUNDS_MAX, roundId } from '../../rain/campaign.ts';
import { SHARDS_MAX } from '../../grab/keys.ts';
import { CommandFailure, EXIT, print, refused, tell } from '../answer.ts';
import { atDesk, type OpenDesk } from '../connection.ts';
import { parseCount, parseDuration, parseMoment } from '../moment.ts';
import { bar } from '../progress.ts';

export interface CreateOptions {
  budget: string;
  packets: number;
  start: (now: number) => number;
  duration: number;
  split: 'even' | 'double-mean' | 'tiers';
  tier: { count: number; amount: string }[];
  min?: string;
  max?: string;
  title?: string;
  id?: string;
  seed?: string;
  shards?: number;
  campaign?: string;
  round?: number;
  excludeEarlierWinners?: boolean;
  load?: boolean;
  rehearsal?: boolean;
  json?: boolean;
}

export function parseTier(text: string, tiers: { count: number; amount: string }[]): { count: number; amount: string }[] {
  const match = /^(\d{1,7})x(\S+)$/.exec(text);
  if (!match) throw new InvalidArgumentError('expected COUNTxAMOUNT such as 10x88.80');
  return [...tiers, { count: Number(match[1]), amount: match[2]! }];
}

export function addPlanCommands(program: Command): void {
  planned(program.command('create')).summary('plan a rain and put its budget aside')
    .description('Plans a rain: puts the budget aside in the book and prints the id.')
    .option('--id <id>', 'letters, digits, _ and -; otherwise one is made')
    .option('--shards <n>', 'Redis shards; a round has those of its campaign', parseCount(1, SHARDS_MAX))
    .option('--campaign <id>', 'it is a round of this campaign; see rain campaign')
    .option('--round <n>', 'which one', parseCount(1, ROUNDS_MAX))
    .option('--exclude-earlier-winners', 'who has won in another round of the campaign gets nothing in this one')
    .option('--rehearsal', 'play it with shadow money: everything as it will be, and no wallet hears of it')
    .addHelpText('after', '\nExample:\n  rain create --budget 8888.00 --packets 1000 --start +30s --duration 60s --load')
    .action((options: CreateOptions) => atDesk((desk) => create(desk, options)));

  program.command('load <id>').summary('preallocate the packets of a rain')
    .description('Preallocates the packets. Killed half-way and run again it goes on where it stopped.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain load m3k9x2a1b2c3d4')
    .action((id: string, { json }: { json?: boolean }) => atDesk(async (desk) => {
      const packets = await load(desk, id);
      print(json, { rainId: id, packets }, `${id}: ${packets} packets are loaded`);
    }));
}

/** What every rain is asked for, whether it stands for itself or is a round. */
export function planned(command: Command): Command {
  return command
    .requiredOption('--budget <amount>', 'what is given away in total, e.g. 8888.00')
    .requiredOption('--packets <n>', `how many red packets, at most ${PACKETS_MAX}`, Number)
    .requiredOption('--start <moment>', '+30s from now, or 2026-12-31T20:00:00+08:00', parseMoment)
    .requiredOption('--duration <time>', 'how long it rains, e.g. 60s', parseDuration)
    .option('--split <method>', 'even, double-mean or tiers', 'double-mean')
    .option('--tier <COUNTxAMOUNT>', 'a fixed prize, e.g. 10x88.80; may be repeated; means --split tiers', parseTier, [])
    .option('--min <amount>', 'smallest packet (default 0.01)')
    .option('--max <amount>', 'largest packet (default the budget)')
    .option('--title <text>', 'what players read')
    .option('--seed <hex>', '64 hex digits; reproduces an earlier rain, whose packets everybody knows once it is settled')
    .option('--load', 'preallocate the packets at once')
    .option('--json', 'print JSON');
}

export async function create(desk: OpenDesk, options: CreateOptions): Promise<void> {
  const now = await redisNow(desk.redis);
  const opensAt = options.start(now);
  // Chosen here, so that it is known even if the answer is not.
  const campaign = campaignOf(options);
  const id = options.id ?? (campaign ? roundId({ campaignId: campaign.id, round: campaign.round }) : newRainId(now));
  const split = options.tier.length > 0 || options.split === 'tiers' ? { method: 'tiers', tiers: options.tier } : { method: options.split };
  const created = await createRain(desk, {
    plan: { budget: options.budget, packets: options.packets, split, ...(options.min && { min: options.min }), ...(options.max && { max: options.max }) },
    id, opensAt, closesAt: opensAt + options.duration, ...(options.shards !== undefined && { shards: options.shards }),
    ...(campaign && { campaign }),
    ...(options.rehearsal && { rehearsal: true }),
    ...(options.title !== undefined && { title: options.title }), ...(options.seed !== undefined && { seed: options.seed }),
  }).catch((error: unknown) => {
    tell(`it is not known whether the rain ${id} was created; look with: rain show ${id}, and finish it with: rain load ${id}`);
    throw error;
  });
  if (!created.ok) throw refused(created);
  if (options.load) {
    try {
      await load(desk, created.rainId);
    } catch (error) {
      tell(`the rain ${created.rainId} is created but not loaded; do it again with: rain load ${created.rainId}`);
      throw error;
    }
  }
  if (created.commitment !== undefined && !options.json) tell(`commitment ${created.commitment}`);
  print(options.json, {
    rainId: created.rainId, state: options.load ? 'loaded' : 'draft',
    opensAt: new Date(created.opensAt).toISOString(), closesAt: new Date(created.closesAt).toISOString(),
    ...(created.commitment !== undefined && { commitment: created.commitment }),
  }, created.rainId);
}

function campaignOf({ campaign, round, excludeEarlierWinners }: CreateOptions): { id: string; round: number; excludeEarlierWinners: boolean } | undefined {
  if (campaign !== undefined && round !== undefined) return { id: campaign, round, excludeEarlierWinners: excludeEarlierWinners ?? false };
  if (campaign !== undefined) throw new CommandFailure(EXIT.usage, '--round: missing, expected which round of the campaign it is; rain campaign add-round takes the next one');
  if (round !== undefined || excludeEarlierWinners) throw new CommandFailure(EXIT.usage, '--campaign: missing, expected the campaign that the round belongs to');
  return undefined;
}

async function load(desk: OpenDesk, rainId: string): Promise<number> {
  const progress = bar('loading', 'packets');
  try {
    const loaded = await loadRain(desk, rainId, (count, packets) => progress.update(count, packets));
    if (!loaded.ok) throw refused(loaded);
    return loaded.packets;
  } finally {
    progress.stop();
  }
}
