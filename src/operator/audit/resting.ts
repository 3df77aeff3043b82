import { deadLetterId, type LogEntry } from '../../credit/deadLetter.ts';
import type { Desk } from '../desk.ts';
import { readDiscards } from './booked.ts';

/** Whether the operator has laid this entry of the claim log to rest. */
type IsResting = (entry: LogEntry) => boolean;

/** From the book as it stands now. */
export async function readResting(desk: Pick<Desk, 'ledger'>, rainId: string): Promise<IsResting> {
  const letterIds: string[] = [];
  for await (const { letterId } of readDiscards(desk, rainId)) letterIds.push(letterId);
  return restingAmong(letterIds);
}

/** The id of a letter is a hash over its entry, so it is only made for an entry where something rests at its place. */
export function restingAmong(letterIds: Iterable<string>): IsResting {
  const resting = new Set(letterIds);
  const places = new Set([...resting].map((letterId) => letterId.slice(0, letterId.lastIndexOf('-'))));
  return (entry) => places.has(`${entry.rainId}-${entry.shard}-${entry.index}`) && resting.has(deadLetterId(entry));
}
