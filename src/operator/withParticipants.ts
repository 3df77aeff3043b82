import { isParticipant } from '../rain/names.ts';
import type { OperatorContext } from './context.ts';

/** A user as the list of participants has him now: the user id keeps the name of the first use. */
export interface Listed {
  number: string;
  name: string;
  department?: string;
}

/** Adds to winners, or buyers, what the list of participants has of them. */
export async function withParticipants<Row extends { userId: string }>(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  rows: readonly Row[],
): Promise<(Row & { participant?: Listed })[]> {
  const ids = rows.map(({ userId }) => userId).filter(isParticipant);
  if (ids.length === 0) return [...rows];
  const listed = await ledger.participantsAmong(ids);
  return rows.map((row) => {
    const person = listed.get(row.userId);
    if (!person) return row;
    const { number, name, department } = person;
    return { ...row, participant: { number, name, ...(department !== undefined && { department }) } };
  });
}
