import type { Durability } from '../platform/redis/durability.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import type { TokenRules } from '../platform/auth/tokenReader.ts';
import type { Traces } from '../platform/telemetry/traces.ts';
import type { Limits } from './limits.ts';
import type { RandomIndex } from './rains/lottery.ts';
import type { ChallengeRules } from './challenge/challenges.ts';

export interface GatewayOptions {
  redisUrl: string;
  host: string;
  /** 0 takes a free one. */
  port: number;
  token: TokenRules;
  allowedOrigins?: readonly string[];
  /** How many proxies of ours stand before this gateway, each of which adds to X-Forwarded-For; 0: the peer is who he is. */
  trustedProxies?: number;
  limits?: Partial<Limits>;
  /** Absent: nobody needs a ticket. */
  challenges?: ChallengeRules | undefined;
  /** More is asked of this gateway than it can do; for what is demanded under pressure only. */
  pressed?: () => boolean;
  /** What a win must have survived before it is told, and how long that may take, ms. */
  durability?: Durability;
  durabilityWaitMs?: number;
  /** Who is first when a rain opens. */
  chance?: RandomIndex;
  /** Whether the console hears of this gateway, see presence.ts. */
  heartbeat?: boolean;
  /** Absent: nothing is followed. */
  traces?: Traces | undefined;
  log: Logger;
}
