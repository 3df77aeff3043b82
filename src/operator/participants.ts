import { randomInt } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { BookedParticipant } from '../ledger/participants.ts';
import { iso } from '../rain/figures.ts';
import { nameIn, participantId, PARTICIPANT_NAME_CHARACTERS_MAX } from '../rain/names.ts';
import type { Signer } from '../store/signer.ts';
import { enlistInOpenRounds } from './campaign/wins.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { names, NUMBER_NAMES, participantNumber } from './lists/columns.ts';
import { openList, type Understood } from './sheetReader.ts';
import { SheetRefused } from './sheetRefused.ts';

/** People on one page. */
export const LISTED_MAX = 500;
/** People on the list: what one import reads, and one set of cards has [R10]. */
export const PARTICIPANTS_MAX = 20_000;
const DEPARTMENT_CHARACTERS_MAX = 60;
/** People whom a list is shown by before it is imported. */
const FIRST_SHOWN = 5;

const readable = (what: string, charactersMax: number) =>
  z
    .string()
    .transform(
      (typed, context) =>
        nameIn(typed, charactersMax) ??
        (context.addIssue(
          `expected ${what} of 1 to ${charactersMax} characters, and a letter, a digit or a symbol among them`,
        ),
        z.NEVER),
    );

const LIST = {
  cells: z.object({
    number: participantNumber,
    name: readable('a name', PARTICIPANT_NAME_CHARACTERS_MAX),
    department: readable('a department', DEPARTMENT_CHARACTERS_MAX).optional(),
  }),
  aliases: {
    ...NUMBER_NAMES,
    ...names('name', '姓名', '名字', '员工姓名', '員工姓名'),
    ...names('department', '部门', '部門', 'dept'),
  },
  expected:
    'expected a header line with the columns number, name and, if there is one, department (or 工号, 姓名, 部门)',
} as const;

/** A participant as the operator sees it; times are ISO. */
interface ShownParticipant extends Pick<BookedParticipant, 'number' | 'name' | 'department' | 'userId'> {
  addedAt: string;
  enteredAt?: string;
}

/** The printed card of one person. */
interface ParticipantCard extends Pick<BookedParticipant, 'number' | 'name' | 'department'> {
  /** Absent: it was made under a SIGNING_SECRET that is not here any more. */
  code?: string;
}

type People = Pick<OperatorContext, 'redis' | 'ledger' | 'signer' | 'actor'> & {
  /** A source of chance, for codes; a test's own. */
  random?: () => number;
};

/** Numbers that people and spreadsheets take for one another have one key. */
const keyOfNumber = (number: string): string => number.toLowerCase().replace(/^0+(?=.)/, '');
const randomSalt = (): number => randomInt(2 ** 31);

/**
 * Adds people from a CSV, all or none; of those who are on the list name and department are changed. Nobody is removed.
 * Safe to repeat.
 * @param bytes the list, see `LIST`
 * @param dryRun shows what was understood and what would be done, and changes nothing
 * @param rename also the names of people who have come in, which may be a mistake: the number may be somebody else's
 *   by now
 */
export async function importParticipants(
  { redis, ledger, signer, actor, random = randomSalt }: People,
  bytes: Readable,
  { rename = false, dryRun = false } = {},
): Promise<Imported | Refused> {
  const read = await readList(bytes);
  if (!read.ok) return read;
  const { understood } = read;
  const known = new Map(
    (await ledger.participants({ limit: PARTICIPANTS_MAX })).map((one) => [keyOfNumber(one.number), one]),
  );
  for (const [key, { line, number, name }] of read.people) {
    const there = known.get(key);
    if (there && there.number !== number)
      return refuse(
        `line ${line}, column number`,
        `${number} is on the list as ${there.number}, expected the same spelling`,
      );
    if (there?.enteredAt !== undefined && there.name !== name && !rename) {
      return refuse(
        `line ${line}, column name`,
        `${number} has come in as ${there.name}; if this is the same person, confirm the new name with rename; if not, remove ${number} first`,
      );
    }
  }
  const total = known.size + [...read.people.keys()].filter((key) => !known.has(key)).length;
  if (total > PARTICIPANTS_MAX)
    return refuse(
      'list',
      `expected at most ${PARTICIPANTS_MAX} people together with those who are on the list, ${known.size}`,
    );
  const people = [...read.people.values()];
  const told = { understood, first: people.slice(0, FIRST_SHOWN).map(({ line: _, ...one }) => one) };
  if (dryRun) {
    const added = total - known.size;
    const unchanged = [...read.people].filter(([key, { name, department }]) => {
      const there = known.get(key);
      return there?.name === name && there.department === department;
    }).length;
    return { ok: true, added, changed: people.length - added - unchanged, unchanged, ...told };
  }
  const rows = people.map(({ number, name, department }) => {
    const codeSalt = random();
    return {
      number,
      name,
      ...(department !== undefined && { department }),
      userId: participantId(number, name),
      codeSalt,
      codeKey: keyOf(signer, signer.participantCodes(number, codeSalt)[0]!),
    };
  });
  const { added, changed } = await ledger.importParticipants(rows, actor);
  // Also when nothing has changed: the import before may have been cut here.
  for (const campaignId of await ledger.campaignsExcluding(rows.map(({ number }) => number)))
    await enlistInOpenRounds({ redis, ledger }, campaignId);
  return { ok: true, added, changed, unchanged: rows.length - added - changed, ...told };
}

type Person = z.output<typeof LIST.cells> & { line: number };

/** `first`: of the people of the list. */
interface Imported {
  ok: true;
  added: number;
  changed: number;
  unchanged: number;
  understood: Understood;
  first: Omit<Person, 'line'>[];
}

/** By the keys of their numbers. */
async function readList(
  bytes: Readable,
): Promise<{ ok: true; people: Map<string, Person>; understood: Understood } | Refused> {
  const people = new Map<string, Person>();
  try {
    const { understood, rows } = await openList(bytes, LIST);
    for await (const { line, cells } of rows) {
      const key = keyOfNumber(cells.number);
      const other = people.get(key);
      if (other)
        return refuse(
          `line ${line}, column number`,
          other.number === cells.number
            ? `${cells.number} is in the list twice, expected each number once`
            : `${cells.number} is in the list as ${other.number}, too; expected each number once`,
        );
      if (people.size >= PARTICIPANTS_MAX) return refuse(`line ${line}`, `expected at most ${PARTICIPANTS_MAX} people`);
      people.set(key, { ...cells, line });
    }
    return people.size > 0
      ? { ok: true, people, understood }
      : refuse('line 2', 'expected a person after the header line');
  } catch (error) {
    if (error instanceof SheetRefused) return { ok: false, refusals: [error.refusal] };
    throw error;
  }
}

/** The list, by number. @param skip of the page before, its `next` */
export async function listParticipants(
  { ledger }: Pick<People, 'ledger'>,
  { search, skip = 0, limit }: { search?: string | undefined; skip?: number; limit: number },
): Promise<{ participants: ShownParticipant[]; total: number; entered: number; next?: number }> {
  const [found, counts] = await Promise.all([
    ledger.participants({ search, skip, limit: limit + 1 }),
    ledger.countParticipants(),
  ]);
  const participants = found.slice(0, limit).map(({ number, name, department, userId, addedAt, enteredAt }) => ({
    number,
    name,
    userId,
    addedAt: iso(addedAt),
    ...(department !== undefined && { department }),
    ...(enteredAt !== undefined && { enteredAt: iso(enteredAt) }),
  }));
  return { participants, ...counts, ...(found.length > limit && { next: skip + limit }) };
}

/** Everybody with the code, to be printed or sent; recorded. */
export async function participantCards({ ledger, signer, actor }: People): Promise<ParticipantCard[]> {
  return (await ledger.participantsForCards(PARTICIPANTS_MAX, actor)).map(
    ({ number, name, department, codeSalt, codeKey }) => {
      const code = signer.participantCodes(number, codeSalt).find((one) => keyOf(signer, one, codeKey) === codeKey);
      return { number, name, ...(department !== undefined && { department }), ...(code !== undefined && { code }) };
    },
  );
}

/** Another code for a participant; the one before ends. */
export async function renewParticipant(
  { ledger, signer, actor, random = randomSalt }: People,
  number: string,
): Promise<{ ok: true; code: string } | Refused> {
  const known = await ledger.participant(number);
  if (!known) return refuse('number', `there is no participant ${number} on the list`);
  const codeSalt = random();
  const code = signer.participantCodes(number, codeSalt)[0]!;
  if (!(await ledger.renewParticipantCode(known, { codeSalt, codeKey: keyOf(signer, code) }, actor)))
    return refuse('number', `the participant ${number} was changed meanwhile; try again`);
  return { ok: true, code };
}

/**
 * Takes people off the list: their codes end, what they have won stays. A token that was issued before ends by itself.
 * Safe to repeat.
 */
export async function removeParticipants(
  { ledger, actor }: People,
  numbers: readonly string[] | 'all',
): Promise<{ ok: true; removed: number }> {
  return {
    ok: true,
    removed:
      numbers === 'all' ? await ledger.removeAllParticipants(actor) : await ledger.removeParticipants(numbers, actor),
  };
}

/**
 * The ledger's key of a code: under the newest key, or, if it is one of several, under the one that was asked for.
 */
function keyOf(signer: Pick<Signer, 'participantCodeKeys'>, code: string, asked?: string): string {
  const keys = signer.participantCodeKeys(code);
  return keys.find((key) => key === asked) ?? keys[0]!;
}
