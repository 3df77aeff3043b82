import { record } from './actions.ts';
import { attempt } from './attempt.ts';
import type { Database } from './database.ts';
import { storable, toBookedDiscard, type BookedDiscard, type NewDiscard } from './discard.ts';

/** A dead letter of an order that the operator discards; there is no money in it. */
type NewLetterDiscard = Omit<NewDiscard, 'rainId' | 'claim' | 'notPaid'> & { saleId: string };

type LetterDiscarding =
  | { outcome: 'discarded' }
  | /** The letter was discarded before; the first reason is kept. */ { outcome: 'already'; discard: BookedDiscard };

/** Notes that the letter is done with, and records it: both or nothing. */
export function discardLetter(
  database: Database,
  { saleId, entry, ...plain }: NewLetterDiscard,
  dryRun = false,
): Promise<LetterDiscarding> {
  return attempt(
    database,
    async (transaction): Promise<LetterDiscarding> => {
      const { letterId, deadReason, reason, actor } = plain;
      const { count } = await transaction.discard.createMany({
        data: { ...plain, rainId: saleId, entry: storable(entry) },
        skipDuplicates: true,
      });
      if (count === 0)
        return {
          outcome: 'already',
          discard: toBookedDiscard(await transaction.discard.findUniqueOrThrow({ where: { letterId } })),
        };
      await record(transaction, {
        actor,
        verb: 'discard',
        rainId: saleId,
        details: { letter: letterId, deadReason, reason },
      });
      return { outcome: 'discarded' };
    },
    dryRun,
  );
}
