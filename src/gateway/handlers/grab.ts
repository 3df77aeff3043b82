import { BUSY, NO_SUCH_RAIN } from '../../grab/engine.ts';
import type { GrabMessage } from '../../protocol/messages.ts';
import { answer, type Asker } from '../asker.ts';
import type { Door } from '../door.ts';
import type { Session } from '../session.ts';

export function grab(door: Door, session: Session, { rainId, ref }: GrabMessage): void {
  const asker: Asker = { userId: session.userId, session, ref };
  const foregone = door.foregone.answer(rainId, session.userId);
  if (foregone) return answer(asker, rainId, foregone, door);
  const shards = door.board.shardsOf(rainId);
  if (shards === undefined) return void findAndGrab(door, rainId, asker);
  decide(door, rainId, shards, asker);
}

function decide({ batcher, openings, tally }: Door, rainId: string, shards: number, asker: Asker): void {
  if (openings.near > 0 && openings.take(rainId, shards, asker)) return;
  if (batcher.full) tally.refused.grabs_pending++;
  batcher.add(rainId, shards, asker);
}

/** The board may not have heard of a rain created a moment ago. Which shard is a user's follows from how many there are: never guessed [R1]. */
async function findAndGrab(door: Door, rainId: string, asker: Asker): Promise<void> {
  try {
    await door.board.find(rainId);
  } catch (error) {
    door.onFault(error);
    return answer(asker, rainId, BUSY, door);
  }
  const shards = door.board.shardsOf(rainId);
  if (shards === undefined) return answer(asker, rainId, NO_SUCH_RAIN, door);
  decide(door, rainId, shards, asker);
}
