import { z } from 'zod';
import { plainId } from '../../rain/claim.ts';
import { endpoint } from './endpoint.ts';
import { cursor, limit, money, rainParams, time } from './fields.ts';

/** `pending`: won and on its way · `dead`: it cannot be credited, and waits for the operator · `discarded`: he has given it up. */
const status = z.enum(['credited', 'pending', 'dead', 'discarded']);

const winner = z.object({ redPacketId: z.string(), userId: z.string(), amount: money, at: time.describe('When it was won, or posted where that is not known any more.'), status });

const path = '/api/console/rains/:rainId/winners';
const tag = 'winners';

export const winnersApi = {
  list: endpoint({
    id: 'listWinners', method: 'GET', path, tag, summary: 'Who has won, the latest first.', who: 'viewer', params: rainParams,
    query: z.strictObject({ search: plainId.optional().describe('A user, exactly, or the beginning of packet ids.'), cursor, limit: limit(500) }), status: 200,
    answer: z.object({ winners: z.array(winner), next: z.string().optional() }),
  }),
  csv: endpoint({
    id: 'exportWinners', method: 'GET', path: `${path}.csv`, tag, summary: 'All winners as CSV: UTF-8 with BOM, no cell that a spreadsheet would run.', who: 'viewer', params: rainParams, status: 200,
    answer: z.string(), mediaType: 'text/csv',
  }),
};
