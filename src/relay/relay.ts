import type { CreditJob } from '../credit/job.ts';
import { claimLogOf, liveClaimLogs } from './claimLogs.ts';
import { createLogRelay, type RelayOptions as LogRelayOptions } from './logRelay.ts';

export type RelayOptions = LogRelayOptions<CreditJob>;

/** The relay of claims: the claim log of every live rain → the queue `credit`. */
export function createRelay(options: RelayOptions) {
  const { resend, ...relay } = createLogRelay({ entries: 'claims', live: () => liveClaimLogs(options.redis) }, options);
  return {
    ...relay,
    resend: (rainId: string, shard: number, from: number, to: number) => resend(claimLogOf(rainId, shard), from, to),
  };
}
