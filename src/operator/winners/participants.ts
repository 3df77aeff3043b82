import { isParticipant } from '../../rain/names.ts';
import type { OperatorContext } from '../context.ts';
import type { Winner } from './winner.ts';

/** Adds to winners what the list of participants has of them. */
export async function withParticipants({ ledger }: Pick<OperatorContext, 'ledger'>, winners: readonly Winner[]): Promise<Winner[]> {
  const ids = winners.map(({ userId }) => userId).filter(isParticipant);
  if (ids.length === 0) return [...winners];
  const listed = await ledger.participantsAmong(ids);
  return winners.map((winner) => {
    const person = listed.get(winner.userId);
    if (!person) return winner;
    const { number, name, department } = person;
    return { ...winner, participant: { number, name, ...(department !== undefined && { department }) } };
  });
}
