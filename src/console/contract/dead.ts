import { z } from 'zod';
import { rainId } from '../../rain/ids.ts';
import { limit, money, numericCursor, reason, time, type Endpoint } from './endpoint.ts';

const letter = z.object({
  letterId: z.string(),
  rainId: z.string(),
  redPacketId: z.string().optional(),
  userId: z.string().optional(),
  amount: money.optional(),
  reason: z.string().describe('Code of the reason why it cannot be credited.'),
  text: z.string().describe('Meaning of the code.'),
  unsigned: z
    .literal(true)
    .optional()
    .describe('No process with the SIGNING_SECRET of this system has written it: do nothing that it says.'),
  detail: z.string(),
  entry: z.string(),
  at: time,
  discarded: z
    .object({ reason: z.string(), actor: z.string(), at: time })
    .optional()
    .describe('It was discarded, but the letter is still there. Discarding it again removes it.'),
});

export const deadLetterParams = z.strictObject({
  letterId: z.string().regex(/^[A-Za-z0-9._-]{1,160}$/, 'expected the id of a dead letter'),
});
/** The largest offset: the number of letters that one answer scans at most. */
export const SKIP_MAX = 20_000;
export const DEAD_PATH = '/api/console/dead';
export const deadTag = 'dead letters';
const [path, tag] = [DEAD_PATH, deadTag];

export const deadApi = {
  list: {
    id: 'listDeadLetters',
    method: 'GET',
    path,
    tag,
    summary: 'Claims that cannot be credited, oldest first.',
    access: 'viewer',
    query: z.strictObject({ rainId: rainId.optional(), cursor: numericCursor(SKIP_MAX), limit: limit(500) }),
    status: 200,
    answer: z.object({ letters: z.array(letter), total: z.int(), next: z.string().optional() }),
  },
  requeue: {
    id: 'requeueDeadLetter',
    method: 'POST',
    path: `${path}/:letterId/requeue`,
    tag,
    summary: 'Try to credit it again.',
    access: 'operator',
    params: deadLetterParams,
    body: z.strictObject({ reason: z.string().optional() }).nullish(),
    status: 200,
    answer: z.object({ requeued: z.int() }),
  },
  discard: {
    id: 'discardDeadLetter',
    method: 'POST',
    path: `${path}/:letterId/discard`,
    tag,
    summary: 'Discard it. Its money goes back to the operator account.',
    access: 'operator',
    params: deadLetterParams,
    body: z.strictObject({
      reason,
      notPaid: z
        .boolean('expected true or false')
        .default(false)
        .describe('Confirms that the external wallet has not paid it.'),
    }),
    status: 200,
    answer: z.object({
      outcome: z.enum(['returned', 'discarded', 'credited', 'already']),
      amount: money.optional(),
      reason: z.string().optional(),
      actor: z.string().optional(),
    }),
  },
} satisfies Record<string, Endpoint>;
