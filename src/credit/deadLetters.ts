import { deadLetter, deadLetterId, idOfDeadLetter, type DeadLetter, type LogEntry } from './deadLetter.ts';
import { createLetterBox, type LetterPage, type LetterRow } from './letterBox.ts';
import type { DeadQueue } from './queue.ts';

/** A dead letter in the queue. */
export type DeadLetterRow = LetterRow<DeadLetter>;
export type DeadLetterPage = LetterPage<DeadLetter>;

const box = createLetterBox<DeadLetter, LogEntry>({
  kind: 'claim',
  schema: deadLetter,
  idOf: idOfDeadLetter,
  idOfEntry: deadLetterId,
  isOf: (letter, { rainId, shard, index, entry }) =>
    letter.rainId === rainId && letter.shard === shard && letter.index === index && letter.entry === entry,
});

export const {
  find: findDeadLetter,
  areListed: areDeadLettered,
  add: addDeadLetters,
  isSigned: isSignedDeadLetter,
} = box;

/** The dead letters of one rain, or of all. */
export function readDeadLetters(
  dead: DeadQueue,
  { rainId, ...page }: { rainId?: string | undefined; skip?: number; limit: number },
): Promise<DeadLetterPage> {
  return box.read(dead, (letter) => rainId === undefined || letter.rainId === rainId, page);
}
