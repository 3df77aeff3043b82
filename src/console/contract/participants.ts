import { z } from 'zod';
import { LISTED_MAX } from '../../operator/participants.ts';
import { LIST_BYTES_MAX } from '../../operator/sheetReader.ts';
import { count, dryRun, limit, numericCursor, time, understood, type Endpoint } from './endpoint.ts';

const number = z.string('expected the number of a participant on the list').max(32);
const person = { number: z.string(), name: z.string(), department: z.string().optional() };

const REMOVED_MAX = 500;
const LISTED_FROM_MAX = 1_000_000;

/** The list of participants: who comes in by a personal link or code. */
export const participantsApi = {
  listParticipants: {
    id: 'listParticipants',
    method: 'GET',
    path: '/api/console/participants',
    tag: 'participants',
    summary: 'The list, by number',
    access: 'viewer',
    query: z.strictObject({
      search: z.string().max(100).optional().describe('A part of the number, the name or the department.'),
      cursor: numericCursor(LISTED_FROM_MAX),
      limit: limit(LISTED_MAX),
    }),
    status: 200,
    answer: z.object({
      participants: z.array(
        z.object({
          ...person,
          userId: z.string(),
          addedAt: time,
          enteredAt: time.optional().describe('When the code was used first.'),
        }),
      ),
      total: count.describe('Of the whole list.'),
      entered: count.describe('Of them have used their codes.'),
      next: z.string().optional(),
    }),
  },
  importParticipants: {
    id: 'importParticipants',
    method: 'POST',
    path: '/api/console/participants/import',
    tag: 'participants',
    access: 'operator',
    summary:
      'Add people from an .xlsx or a CSV with the columns number, name and, if there is one, department; of those who are on the list name and department are changed. Nobody is removed.',
    query: z.strictObject({
      rename: z
        .literal('yes', 'expected yes')
        .optional()
        .describe('Also changes the names of people who have come in: they are the same people.'),
      dryRun,
    }),
    body: z.custom<Buffer>((body) => body instanceof Buffer, 'expected the list as text/csv'),
    bodyType: 'text/csv',
    bodyBytesMax: LIST_BYTES_MAX,
    status: 200,
    answer: z.object({
      added: count,
      changed: count,
      unchanged: count,
      understood,
      first: z.array(z.object(person)).describe('The first people of the list.'),
    }),
  },
  participantCards: {
    id: 'participantCards',
    method: 'POST',
    path: '/api/console/participants/cards',
    tag: 'participants',
    summary: 'The codes of all, to be printed or sent. It is recorded.',
    access: 'operator',
    status: 200,
    answer: z.object({
      cards: z.array(
        z.object({
          ...person,
          code: z
            .string()
            .optional()
            .describe('Absent: it was made under a SIGNING_SECRET that this server does not have; renew it.'),
        }),
      ),
    }),
  },
  renewParticipant: {
    id: 'renewParticipant',
    method: 'POST',
    path: '/api/console/participants/renew',
    tag: 'participants',
    summary: 'Give a participant another code; the one before ends.',
    access: 'operator',
    body: z.strictObject({ number }),
    status: 200,
    answer: z.object({ code: z.string() }),
  },
  removeParticipants: {
    id: 'removeParticipants',
    method: 'POST',
    path: '/api/console/participants/remove',
    tag: 'participants',
    summary:
      'Take people off the list: their codes end. Added again they have other codes, and under another name they are other users.',
    access: 'operator',
    body: z.strictObject({
      numbers: z.union(
        [
          z.literal('all'),
          z
            .array(number)
            .min(1, 'expected at least one number')
            .max(REMOVED_MAX, `expected at most ${REMOVED_MAX} numbers`),
        ],
        'expected numbers, or all',
      ),
    }),
    status: 200,
    answer: z.object({ removed: count }),
  },
} satisfies Record<string, Endpoint>;
