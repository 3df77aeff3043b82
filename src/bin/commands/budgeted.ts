import { InvalidArgumentError, Option, type Command } from 'commander';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { typedAmount } from '../amount.ts';

/** What money is split into, whether it makes a rain, is added to one, or is only looked at. */
export interface PlanOptions {
  budget: string;
  packets: number;
  split: 'even' | 'double-mean' | 'tiers';
  tier: { count: number; amount: string }[];
  min?: string;
  max?: string;
}

function parseTier(text: string, tiers: { count: number; amount: string }[]): { count: number; amount: string }[] {
  const match = /^(\d{1,7})x(\S+)$/.exec(text);
  if (!match) throw new InvalidArgumentError('expected COUNTxAMOUNT such as 10x88.80');
  return [...tiers, { count: Number(match[1]), amount: typedAmount(match[2]!) }];
}

export function budgeted(command: Command): Command {
  return command
    .requiredOption('--budget <amount>', 'what is given away in total, e.g. 8888.00; 8888 is the same', typedAmount)
    .requiredOption('--packets <n>', `how many red packets, at most ${PACKETS_MAX}`, Number)
    .addOption(new Option('--split <method>', 'how it is split').choices(['even', 'double-mean', 'tiers']).default('double-mean'))
    .option('--tier <COUNTxAMOUNT>', 'a fixed prize, e.g. 10x88.80; may be repeated; means --split tiers', parseTier, [])
    .option('--min <amount>', 'smallest packet (default 0.01)', typedAmount)
    .option('--max <amount>', 'largest packet (default the budget)', typedAmount);
}

/** As the verbs take it: what was not said is not there, since the plan is recorded as it was asked for. */
export function planOf({ budget, packets, split, tier, min, max }: PlanOptions) {
  return {
    budget, packets, split: tier.length > 0 || split === 'tiers' ? { method: 'tiers' as const, tiers: tier } : { method: split },
    ...(min !== undefined && { min }), ...(max !== undefined && { max }),
  };
}
