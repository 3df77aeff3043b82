import type { Batcher } from '../grab/batcher.ts';
import type { RedisClient } from '../runtime/redis.ts';
import type { Audience } from './audience.ts';
import type { Blocklist } from './blocklist.ts';
import type { Board } from './board.ts';
import type { Asker } from './asker.ts';
import type { Foregone } from './foregone.ts';
import type { Keeping } from './keeping.ts';
import type { Limits } from './limits.ts';
import type { Pace } from './pace.ts';
import type { Relief } from './relief.ts';
import type { Tally } from './tally.ts';

/** What a handler may use. */
export interface Door {
  readonly limits: Limits;
  readonly audience: Audience;
  readonly board: Board;
  readonly batcher: Batcher<Asker>;
  readonly foregone: Pick<Foregone, 'answer' | 'forget'>;
  readonly keeping: Pick<Keeping, 'confirm' | 'remember'>;
  /** For reading a user's own result on `join`; grabs go through the batcher. */
  readonly redis: RedisClient;
  readonly pace: Pace;
  readonly blocklist: Pick<Blocklist, 'refresh'>;
  readonly relief: Pick<Relief, 'admission' | 'turn' | 'switchboard'>;
  readonly tally: Tally;
  readonly onFault: (error: unknown) => void;
}
