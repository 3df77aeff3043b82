import { z } from 'zod';
import { count, money, time, type Endpoint } from './endpoint.ts';

const id = z.string('expected the sub of a token').max(256);
const rows = z.array(z.record(z.string(), z.unknown()));
const stored = z.record(z.string(), z.string());
const data = z.object({
  userId: z.string(),
  exportedAt: time,
  balance: money.describe('Of the wallet in the ledger.'),
  block: z.record(z.string(), z.unknown()).optional(),
  claims: stored.describe('By rain: the claim as Redis has it.'),
  bought: stored.describe('By sale: the reservations as Redis has them.'),
  credits: rows,
  reservations: rows.describe('What an external wallet was asked to pay.'),
  orders: rows,
  refusals: rows,
  participants: rows.describe('The entry on the list of participants.'),
  exclusions: rows.describe('Campaigns in which the user wins nothing.'),
  actions: rows.describe('What operators did that names the user.'),
  complete: z.boolean().describe('False: there are more rows of one kind than an export has.'),
});

/** The data kept about one user. The id is in the body, so that it is in no log of addresses. */
export const usersApi = {
  exportUser: {
    id: 'exportUser',
    method: 'POST',
    path: '/api/console/users/export',
    tag: 'users',
    summary: 'Everything that is kept about a user. It is recorded.',
    access: 'operator',
    body: z.strictObject({ id }),
    status: 200,
    answer: z.object({ data }),
  },
  eraseUser: {
    id: 'eraseUser',
    method: 'POST',
    path: '/api/console/users/erase',
    tag: 'users',
    summary: 'Erase a user: a pseudonym takes the place of the id, for ever. Moves no money.',
    access: 'operator',
    body: z.strictObject({
      id,
      balance: z
        .string('expected an amount')
        .max(32)
        .optional()
        .describe('What the wallet of the user holds: nobody can ask for it afterwards.'),
    }),
    status: 200,
    answer: z.object({ rows: count.describe('How many were changed; 0: nothing is kept about a user of this id.') }),
  },
} satisfies Record<string, Endpoint>;
