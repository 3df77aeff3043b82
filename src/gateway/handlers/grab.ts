import { BUSY, NO_SUCH_RAIN } from '../../grab/engine.ts';
import type { GrabMessage } from '../../protocol/messages.ts';
import { answer, type Asker } from '../asker.ts';
import type { Door } from '../door.ts';
import type { Session } from '../session.ts';

export function grab(door: Door, session: Session, { rainId, ref }: GrabMessage): void {
  const { turn } = door.relief;
  const { asking } = session;
  if (asking !== undefined && asking.turn === turn.number && asking.rainId === rainId) return void (asking.also ??= []).push(ref);
  const asker: Asker = { userId: session.userId, session, rainId, ref, turn: turn.number, also: undefined };
  const foregone = door.foregone.answer(rainId, session.userId);
  if (foregone) return answer(asker, rainId, foregone, door);
  const shards = door.board.shardsOf(rainId);
  if (shards === undefined) return void findAndGrab(door, rainId, asker);
  decide(door, rainId, shards, asker);
}

function decide(door: Door, rainId: string, shards: number, asker: Asker): void {
  const { batcher, relief: { admission, switchboard, turn } } = door;
  if (switchboard.off.grabs) return putOff(door, rainId, asker, 'switch_grabs');
  if (turn.overdue) return putOff(door, rainId, asker, 'turn');
  if (!admission.admits(batcher.pending)) return putOff(door, rainId, asker, 'grabs_pending');
  asker.session.asking = asker;
  batcher.add(rainId, shards, asker);
}

function putOff(door: Door, rainId: string, asker: Asker, limit: 'switch_grabs' | 'turn' | 'grabs_pending'): void {
  door.tally.refused[limit]++;
  answer(asker, rainId, BUSY, door);
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
