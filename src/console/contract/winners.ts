import { z } from 'zod';
import { plainId } from '../../rain/ids.ts';
import { cursor, limit, listed, money, rainParams, time, type Endpoint } from './endpoint.ts';

/**
 * `pending`: won, not credited yet · `dead`: cannot be credited, waits for the operator · `discarded`: given up by the
 * operator.
 */
const status = z.enum(['credited', 'pending', 'dead', 'discarded']);

const winner = z.object({
  redPacketId: z.string(),
  userId: z.string(),
  amount: money,
  at: time.describe('When it was won. If that is no longer known: when it was posted.'),
  status,
  participant: listed,
});

const path = '/api/console/rains/:rainId/winners';

export const winnersApi = {
  list: {
    id: 'listWinners',
    method: 'GET',
    path,
    tag: 'winners',
    summary: 'The winners, latest first.',
    access: 'viewer',
    params: rainParams,
    query: z.strictObject({
      search: plainId.optional().describe('A complete user id, or the first characters of packet ids.'),
      cursor,
      limit: limit(500),
    }),
    status: 200,
    answer: z.object({ winners: z.array(winner), next: z.string().optional() }),
  },
  csv: {
    id: 'exportWinners',
    method: 'GET',
    path: `${path}.csv`,
    tag: 'winners',
    summary:
      'All winners as CSV: UTF-8 with BOM; localTime is in the time zone of the event. With the columns number, name and department where there is a list of participants. Cells that a spreadsheet would run as formulas are escaped.',
    access: 'viewer',
    params: rainParams,
    status: 200,
    answer: z.string(),
    mediaType: 'text/csv',
  },
} satisfies Record<string, Endpoint>;
