import type { Forgeries } from '../../grab/forgeries.ts';
import type { Batcher } from '../../grab/batcher.ts';
import type { GrabAnswer } from '../../grab/engine.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import type { WinnerNames } from '../../rain/names.ts';
import type { Signer } from '../../store/signer.ts';
import type { Hub } from '../broadcast/hub.ts';
import type { Blocklist } from '../ratelimit/blocklist.ts';
import type { RainCache } from '../rains/rainCache.ts';
import type { PendingGrab } from './pendingGrab.ts';
import type { LocalAnswers } from '../rains/localAnswers.ts';
import type { GatewayDurability } from '../durability/durability.ts';
import type { Limits } from '../limits.ts';
import type { Uncredited } from '../rains/uncredited.ts';
import type { FairStart } from '../rains/fairStart.ts';
import type { RateLimiter } from '../ratelimit/rateLimiter.ts';
import type { OverloadControl } from '../overload/overload.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';
import type { Challenges } from '../challenge/challenges.ts';
import type { Sales } from '../sales/openSales.ts';

/** Everything that message handlers use. */
export interface HandlerContext {
  readonly limits: Limits;
  readonly hub: Hub;
  readonly rainCache: RainCache;
  readonly batcher: Batcher<PendingGrab, GrabAnswer>;
  readonly sales: Sales;
  readonly fairStart: Pick<FairStart<PendingGrab>, 'near' | 'take'>;
  readonly localAnswers: Pick<LocalAnswers, 'answer' | 'forget'>;
  readonly gatewayDurability: Pick<GatewayDurability, 'confirm' | 'remember' | 'hasTold'>;
  readonly forgeries: Forgeries;
  readonly signer: Signer;
  /** Reads a user's own result on `join`; grabs go through the batcher. */
  readonly redis: RedisClient;
  readonly uncredited: Pick<Uncredited, 'watch' | 'heard'>;
  /** Receipts that wait for Redis. */
  readonly pendingReceipts: { count: number };
  readonly rateLimiter: RateLimiter;
  readonly blocklist: Pick<Blocklist, 'refresh'>;
  readonly challenges: Challenges;
  readonly overload: Pick<OverloadControl, 'admission' | 'loopBudget' | 'unread' | 'killSwitches'>;
  /** How winners are shown to others. */
  readonly winnerNames: WinnerNames;
  readonly counters: GatewayCounters;
  /** Present if wins are traced. */
  readonly traces?: Traces | undefined;
  readonly onFault: (error: unknown) => void;
}
