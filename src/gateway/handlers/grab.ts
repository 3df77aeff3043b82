import { BUSY, NO_SUCH_RAIN } from '../../grab/engine.ts';
import { resultFrame } from '../../protocol/codec.ts';
import type { GrabMessage } from '../../protocol/messages.ts';
import { answer, type Asker } from '../asker.ts';
import type { Door } from '../door.ts';
import { send, type Session } from '../session.ts';

export function grab(door: Door, session: Session, message: GrabMessage): void {
  const { rainId, ref } = message;
  const asker: Asker = { userId: session.userId, session, ref };
  const foregone = door.foregone.answer(rainId, session.userId);
  if (foregone) return answer(asker, rainId, foregone, door);
  const shards = door.board.shardsOf(rainId);
  if (shards === undefined) return void findAndGrab(door, message, asker);
  if (!turnedBack(door, message, asker)) decide(door, rainId, shards, asker);
}

function turnedBack({ wicket, board, limits, tally }: Door, message: GrabMessage, { session }: Asker): boolean {
  const rain = wicket && board.reading(message.rainId);
  const refused = rain && wicket.turnsBack(session, message, rain);
  if (!refused) return false;
  tally.answers[refused.code]++;
  send(session, resultFrame(message.rainId, message.ref, refused.code, 'retryInMs' in refused ? refused : undefined), limits);
  return true;
}

function decide({ batcher, openings, tally }: Door, rainId: string, shards: number, asker: Asker): void {
  if (openings.near > 0 && openings.take(rainId, shards, asker)) return;
  if (batcher.full) tally.refused.grabs_pending++;
  batcher.add(rainId, shards, asker);
}

/** The board may not have heard of a rain created a moment ago. Which shard is a user's follows from how many there are: never guessed [R1]. */
async function findAndGrab(door: Door, message: GrabMessage, asker: Asker): Promise<void> {
  const { rainId } = message;
  try {
    await door.board.find(rainId);
  } catch (error) {
    door.onFault(error);
    return answer(asker, rainId, BUSY, door);
  }
  const shards = door.board.shardsOf(rainId);
  if (shards === undefined) return answer(asker, rainId, NO_SUCH_RAIN, door);
  if (!turnedBack(door, message, asker)) decide(door, rainId, shards, asker);
}
