import type { Batcher } from '../grab/batcher.ts';
import type { RedisClient } from '../runtime/redis.ts';
import type { Traces } from '../runtime/traces.ts';
import type { Audience } from './audience.ts';
import type { Blocklist } from './guard/blocklist.ts';
import type { Board } from './rains/board.ts';
import type { Asker } from './asker.ts';
import type { Foregone } from './rains/foregone.ts';
import type { Keeping } from './keeping.ts';
import type { Limits } from './limits.ts';
import type { Openings } from './rains/openings.ts';
import type { Pace } from './guard/pace.ts';
import type { Relief } from './relief/relief.ts';
import type { Tally } from './tally.ts';
import type { Wicket } from './wicket/wicket.ts';

/** What a handler may use. */
export interface Door {
  readonly limits: Limits;
  readonly audience: Audience;
  readonly board: Board;
  readonly batcher: Batcher<Asker>;
  readonly openings: Pick<Openings, 'near' | 'take'>;
  readonly foregone: Pick<Foregone, 'answer' | 'forget'>;
  readonly keeping: Pick<Keeping, 'confirm' | 'remember'>;
  /** For reading a user's own result on `join`; grabs go through the batcher. */
  readonly redis: RedisClient;
  readonly pace: Pace;
  readonly blocklist: Pick<Blocklist, 'refresh'>;
  /** Where tickets are asked for. */
  readonly wicket: Wicket | undefined;
  readonly relief: Pick<Relief, 'admission' | 'turn' | 'switchboard'>;
  readonly tally: Tally;
  /** Where wins are followed. */
  readonly traces?: Traces | undefined;
  readonly onFault: (error: unknown) => void;
}
