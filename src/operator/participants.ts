import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { BookedParticipant } from '../ledger/participants.ts';
import { iso } from '../rain/figures.ts';
import { matching } from '../rain/ids.ts';
import { nameIn, participantId, PARTICIPANT_NAME_CHARACTERS_MAX } from '../rain/names.ts';
import type { Signer } from '../store/signer.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { readSheet, SheetRefused } from './sheetReader.ts';

/** People on the list: what one import reads, and one set of cards has [R10]. */
export const PARTICIPANTS_MAX = 20_000;
const DEPARTMENT_CHARACTERS_MAX = 60;

const readable = (what: string, charactersMax: number) => z.string().transform((typed, context) =>
  nameIn(typed, charactersMax) ?? (context.addIssue(`expected ${what} of 1 to ${charactersMax} characters, and a letter, a digit or a symbol among them`), z.NEVER));

const LIST = {
  cells: z.object({
    number: matching(/^[A-Za-z0-9_.-]{1,32}$/, 'expected 1 to 32 letters, digits, _ . or -'),
    name: readable('a name', PARTICIPANT_NAME_CHARACTERS_MAX),
    department: readable('a department', DEPARTMENT_CHARACTERS_MAX).optional(),
  }),
  aliases: { 工号: 'number', 编号: 'number', 姓名: 'name', 部门: 'department' },
  expected: 'expected a header line with the columns number, name and, if there is one, department (or 工号, 姓名, 部门), separated by commas',
} as const;

/** A participant as the operator sees it; times are ISO. */
interface ShownParticipant extends Pick<BookedParticipant, 'number' | 'name' | 'department' | 'userId'> {
  addedAt: string;
  enteredAt?: string;
}

/** What is printed for one person. */
interface ParticipantCard extends Pick<BookedParticipant, 'number' | 'name' | 'department'> {
  /** Absent: it was made under a SIGNING_SECRET that is not here any more. */
  code?: string;
}

type People = Pick<OperatorContext, 'ledger' | 'signer' | 'actor'>;

/**
 * Adds people from a CSV, all or none; of those who are on the list name and department are changed. Nobody is removed. Safe to repeat.
 * @param bytes the list, see `LIST`
 */
export async function importParticipants({ ledger, signer, actor }: People, bytes: Readable): Promise<{ ok: true; added: number; changed: number; unchanged: number } | Refused> {
  const people = new Map<string, z.output<typeof LIST.cells>>();
  try {
    for await (const { line, cells } of readSheet(bytes, LIST)) {
      if (people.has(cells.number)) return refuse(`line ${line}, column number`, `${cells.number} is in the list twice, expected each number once`);
      if (people.size >= PARTICIPANTS_MAX) return refuse(`line ${line}`, `expected at most ${PARTICIPANTS_MAX} people`);
      people.set(cells.number, cells);
    }
  } catch (error) {
    if (error instanceof SheetRefused) return { ok: false, refusals: [error.refusal] };
    throw error;
  }
  if (people.size === 0) return refuse('line 2', 'expected a person after the header line');
  const { total } = await ledger.countParticipants();
  if (total + people.size > PARTICIPANTS_MAX) {
    const known = new Set((await ledger.participants({ limit: PARTICIPANTS_MAX })).map(({ number }) => number));
    if (known.size + [...people.keys()].filter((number) => !known.has(number)).length > PARTICIPANTS_MAX) return refuse('list', `expected at most ${PARTICIPANTS_MAX} people together with those who are on the list, ${total}`);
  }
  const rows = [...people.values()].map(({ number, name, department }) => ({
    number, name, ...(department !== undefined && { department }), userId: participantId(number, name), codeKey: keyOf(signer, signer.participantCodes(number, 0)[0]!),
  }));
  const { added, changed } = await ledger.importParticipants(rows, actor);
  return { ok: true, added, changed, unchanged: rows.length - added - changed };
}

/** The list, by number. @param skip of the page before, its `next` */
export async function listParticipants({ ledger }: Pick<People, 'ledger'>, { search, skip = 0, limit }: { search?: string | undefined; skip?: number; limit: number }): Promise<{ participants: ShownParticipant[]; total: number; entered: number; next?: number }> {
  const [found, counts] = await Promise.all([ledger.participants({ search, skip, limit: limit + 1 }), ledger.countParticipants()]);
  const participants = found.slice(0, limit).map(({ number, name, department, userId, addedAt, enteredAt }) => ({
    number, name, userId, addedAt: iso(addedAt), ...(department !== undefined && { department }), ...(enteredAt !== undefined && { enteredAt: iso(enteredAt) }),
  }));
  return { participants, ...counts, ...(found.length > limit && { next: skip + limit }) };
}

/** Everybody with the code, to be printed or sent; recorded. */
export async function participantCards({ ledger, signer, actor }: People): Promise<ParticipantCard[]> {
  return (await ledger.participantsForCards(PARTICIPANTS_MAX, actor)).map(({ number, name, department, codeEpoch, codeKey }) => {
    const code = signer.participantCodes(number, codeEpoch).find((one) => keyOf(signer, one, codeKey) === codeKey);
    return { number, name, ...(department !== undefined && { department }), ...(code !== undefined && { code }) };
  });
}

/** Another code for a participant; the one before ends. */
export async function renewParticipant({ ledger, signer, actor }: People, number: string): Promise<{ ok: true; code: string } | Refused> {
  const known = await ledger.participant(number);
  if (!known) return refuse('number', `there is no participant ${number} on the list`);
  const { codeEpoch: epoch, userId } = known;
  const code = signer.participantCodes(number, epoch + 1)[0]!;
  if (!await ledger.renewParticipantCode({ number, epoch, userId, codeKey: keyOf(signer, code) }, actor)) return refuse('number', `the participant ${number} was changed meanwhile; try again`);
  return { ok: true, code };
}

/** Takes people off the list: their codes end, what they have won stays. A token that was issued before ends by itself. Safe to repeat. */
export async function removeParticipants({ ledger, actor }: People, numbers: readonly string[]): Promise<{ ok: true; removed: number }> {
  return { ok: true, removed: await ledger.removeParticipants(numbers, actor) };
}

/** What the ledger keeps of a code: under the newest key, or, if it is one of several, under the one that was asked for. */
function keyOf(signer: Pick<Signer, 'participantCodeKeys'>, code: string, asked?: string): string {
  const keys = signer.participantCodeKeys(code);
  return keys.find((key) => key === asked) ?? keys[0]!;
}
