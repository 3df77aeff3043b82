import type { GrabAnswer } from '../../grab/engine.ts';
import { resultFrame } from '../../protocol/codec.ts';
import type { GrabMessage } from '../../protocol/messages.ts';
import type { Door } from '../door.ts';
import type { Limits } from '../limits.ts';
import { send, type Session } from '../session.ts';

/** A grab under way: whom to answer, and which of his questions this is. */
export interface Asker {
  readonly userId: string;
  readonly session: Session;
  readonly ref: string | undefined;
}

export function grab(door: Door, session: Session, { rainId, ref }: GrabMessage): void {
  const asker: Asker = { userId: session.userId, session, ref };
  const shards = door.board.shardsOf(rainId);
  if (shards === undefined) return void findAndGrab(door, rainId, asker);
  door.batcher.add(rainId, shards, asker);
}

/** The board may not have heard of a rain created a moment ago; the script decides whether it exists. */
async function findAndGrab(door: Door, rainId: string, asker: Asker): Promise<void> {
  await door.board.find(rainId);
  door.batcher.add(rainId, door.board.shardsOf(rainId) ?? 1, asker);
}

export function answer({ session, ref }: Asker, rainId: string, given: GrabAnswer, limits: Limits): void {
  send(session, resultFrame(rainId, ref, given.code, 'amount' in given ? given : undefined), limits);
}
