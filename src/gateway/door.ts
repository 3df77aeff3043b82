import type { Batcher } from '../grab/batcher.ts';
import type { RedisClient } from '../runtime/redis.ts';
import type { Traces } from '../runtime/traces.ts';
import type { Hub } from './audience.ts';
import type { Blocklist } from './guard/blocklist.ts';
import type { RainCache } from './rains/board.ts';
import type { PendingGrab } from './asker.ts';
import type { LocalAnswers } from './rains/foregone.ts';
import type { GatewayDurability } from './keeping.ts';
import type { Limits } from './limits.ts';
import type { FairStart } from './rains/openings.ts';
import type { RateLimiter } from './guard/pace.ts';
import type { OverloadControl } from './relief/relief.ts';
import type { GatewayCounters } from './tally.ts';
import type { Challenges } from './wicket/wicket.ts';

/** What a handler may use. */
export interface HandlerContext {
  readonly limits: Limits;
  readonly hub: Hub;
  readonly rainCache: RainCache;
  readonly batcher: Batcher<PendingGrab>;
  readonly fairStart: Pick<FairStart, 'near' | 'take'>;
  readonly localAnswers: Pick<LocalAnswers, 'answer' | 'forget'>;
  readonly gatewayDurability: Pick<GatewayDurability, 'confirm' | 'remember'>;
  /** For reading a user's own result on `join`; grabs go through the batcher. */
  readonly redis: RedisClient;
  readonly rateLimiter: RateLimiter;
  readonly blocklist: Pick<Blocklist, 'refresh'>;
  /** Where tickets are asked for. */
  readonly challenges: Challenges | undefined;
  readonly overload: Pick<OverloadControl, 'admission' | 'loopBudget' | 'killSwitches'>;
  readonly counters: GatewayCounters;
  /** Where wins are followed. */
  readonly traces?: Traces | undefined;
  readonly onFault: (error: unknown) => void;
}
