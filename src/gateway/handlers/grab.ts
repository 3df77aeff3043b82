import { BUSY, NO_SUCH_RAIN } from '../../grab/engine.ts';
import { resultFrame } from '../../protocol/codec.ts';
import type { GrabMessage } from '../../protocol/messages.ts';
import { answer, type Asker } from '../asker.ts';
import type { Door } from '../door.ts';
import type { DatedReading } from '../rains/board.ts';
import { judgeByTerms } from '../rains/terms.ts';
import { send, type Session } from '../session.ts';

export function grab(door: Door, session: Session, message: GrabMessage): void {
  const { rainId, ref } = message;
  const { turn } = door.relief;
  const { asking } = session;
  if (asking !== undefined && asking.turn === turn.number && asking.rainId === rainId) {
    if (!turnedBack(door, session, message, door.board.reading(rainId))) (asking.also ??= []).push(ref);
    return;
  }
  const asker: Asker = { userId: session.userId, session, rainId, ref, turn: turn.number, also: undefined };
  const foregone = door.foregone.answer(rainId, session.userId);
  if (foregone) return answer(asker, rainId, foregone, door);
  const rain = door.board.reading(rainId);
  if (rain === undefined) return void findAndGrab(door, message, asker);
  if (!turnedBack(door, session, message, rain)) decide(door, rainId, rain.shards, asker);
}

/** By the terms of the rain, or at the wicket. */
function turnedBack({ wicket, limits, tally, relief: { admission } }: Door, session: Session, message: GrabMessage, rain: DatedReading | undefined): boolean {
  if (!rain) return false;
  const code = judgeByTerms(rain, session);
  const refused = code === undefined ? wicket?.turnsBack(session, message, rain) : code === '-7' ? { code, retryInMs: admission.retryInMs() } : { code };
  if (!refused) return false;
  tally.answers[refused.code]++;
  const retryInMs = 'retryInMs' in refused ? refused.retryInMs : undefined;
  send(session, resultFrame(message.rainId, message.ref, refused.code, retryInMs === undefined ? undefined : { retryInMs }), limits);
  return true;
}

function decide(door: Door, rainId: string, shards: number, asker: Asker): void {
  const { batcher, openings, relief: { admission, switchboard, turn } } = door;
  if (switchboard.off.grabs) return putOff(door, rainId, asker, 'switch_grabs');
  // To gather costs next to nothing, so that at an opening nobody is refused for having come with all others.
  if (openings.near > 0 && openings.take(rainId, shards, asker)) return;
  if (turn.overdue) return putOff(door, rainId, asker, 'turn');
  if (!admission.admits(batcher.asking)) return putOff(door, rainId, asker, 'grabs_pending');
  asker.session.asking = asker;
  batcher.add(rainId, shards, asker);
}

function putOff(door: Door, rainId: string, asker: Asker, limit: 'switch_grabs' | 'turn' | 'grabs_pending'): void {
  door.tally.refused[limit]++;
  answer(asker, rainId, BUSY, door);
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
  const rain = door.board.reading(rainId);
  if (rain === undefined) return answer(asker, rainId, NO_SUCH_RAIN, door);
  if (!turnedBack(door, asker.session, message, rain)) decide(door, rainId, rain.shards, asker);
}
