import type { Patience } from '../platform/process/starting.ts';
import type { Durability } from '../platform/redis/durability.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import type { TokenRules } from '../platform/auth/tokenReader.ts';
import type { Traces } from '../platform/telemetry/traces.ts';
import type { WinnerNames } from '../rain/names.ts';
import type { Signer } from '../store/signer.ts';
import type { Limits } from './limits.ts';
import type { RandomIndex } from './rains/lottery.ts';
import type { ChallengeRules } from './challenge/challenges.ts';

export interface GatewayOptions {
  redisUrl: string;
  host: string;
  /** 0 picks a free port. */
  port: number;
  token: TokenRules;
  /** With the key that the packets are signed with. */
  signer: Signer;
  allowedOrigins?: readonly string[];
  /**
   * Number of our own proxies before this gateway, each of which appends to X-Forwarded-For; 0: the peer address is the
   * client.
   */
  trustedProxies?: number;
  limits?: Partial<Limits>;
  /**
   * Absent: this gateway requires no tickets of its own, and signs those that a rain or sale requires with a secret
   * that only it has.
   */
  challenges?: ChallengeRules | undefined;
  /** True while the gateway is overloaded; for challenges that are required only then. */
  pressed?: () => boolean;
  /** The failures that a win must survive before it is sent to the user, and how long the confirmation may take, ms. */
  durability?: Durability;
  durabilityWaitMs?: number;
  /** When it looks once more for wins and reservations that it has told, ms; see durability/secondLook.ts. */
  secondLookMs?: number;
  /** Random numbers that decide the order at an opening. */
  chance?: RandomIndex;
  /** How the winners' ticker shows users to others; default: masked. */
  winnerNames?: WinnerNames;
  /** Whether this gateway reports itself to the console, see telemetry/heartbeat.ts. */
  heartbeat?: boolean;
  /** Absent: nothing is traced. */
  traces?: Traces | undefined;
  /** For a start whose Redis comes later; absent: it is reported at once. */
  patience?: Patience;
  log: Logger;
}
