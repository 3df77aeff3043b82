import { deadLetterId, type LogEntry } from '../../credit/deadLetter.ts';
import type { OperatorContext } from '../context.ts';
import { readDiscards } from './booked.ts';

/** Whether the operator has laid this entry of the claim log to rest. */
type IsDiscarded = (entry: LogEntry) => boolean;

/** From the book as it stands now. */
export async function readDiscardedLetters(context: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<IsDiscarded> {
  const letterIds: string[] = [];
  for await (const { letterId } of readDiscards(context, rainId)) letterIds.push(letterId);
  return discardedAmong(letterIds);
}

/** The id of a letter is a hash over its entry, so it is only made for an entry where something rests at its place. */
export function discardedAmong(letterIds: Iterable<string>): IsDiscarded {
  const resting = new Set(letterIds);
  const places = new Set([...resting].map((letterId) => letterId.slice(0, letterId.lastIndexOf('-'))));
  return (entry) => places.has(`${entry.rainId}-${entry.shard}-${entry.index}`) && resting.has(deadLetterId(entry));
}
