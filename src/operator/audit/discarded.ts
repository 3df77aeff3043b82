import { deadLetterId, type LogEntry } from '../../credit/deadLetter.ts';
import type { OperatorContext } from '../context.ts';
import { readDiscards } from './booked.ts';

/** Whether the operator has discarded this entry of the claim log. */
type IsDiscarded = (entry: LogEntry) => boolean;

/** Reads the discards from the ledger now. */
export async function readDiscardedLetters(context: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<IsDiscarded> {
  const letterIds: string[] = [];
  for await (const { letterId } of readDiscards(context, rainId)) letterIds.push(letterId);
  return discardedAmong(letterIds);
}

/** A dead letter id is a hash over the entry. It is only computed where a discard exists at the same place of the log. */
export function discardedAmong(letterIds: Iterable<string>): IsDiscarded {
  const discarded = new Set(letterIds);
  const places = new Set([...discarded].map((letterId) => letterId.slice(0, letterId.lastIndexOf('-'))));
  return (entry) => places.has(`${entry.rainId}-${entry.shard}-${entry.index}`) && discarded.has(deadLetterId(entry));
}
