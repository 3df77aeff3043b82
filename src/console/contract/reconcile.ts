import { z } from 'zod';
import { count, money, rainParams, type Endpoint } from './endpoint.ts';

/** The same fields as in `rain reconcile --json`. */
const difference = z.object({
  result: z.enum(['wallet_only', 'book_only', 'amount_differs', 'user_differs', 'paid_twice']),
  id: z.string().describe('The claim id.'),
  redPacketId: z.string(),
  userId: z.string().optional().describe('By the book.'),
  paid: money.optional().describe('By the statement.'),
  booked: money.optional().describe('By the book; absent if it is not credited.'),
  time: z.string().optional().describe('As the wallet writes it.'),
  line: z.int().optional().describe('In the statement; the header is line 1.'),
  detail: z.string(),
});

const reconciliation = z.object({
  rainId: z.string(),
  agree: z.boolean().describe('The wallet and the book agree on every payment.'),
  counts: z.object({
    both: count,
    wallet_only: count,
    book_only: count,
    amount_differs: count,
    user_differs: count,
    paid_twice: count,
  }),
  paid: money.describe('Sum of the payments for this rain.'),
  booked: money.describe('Sum of the credits.'),
  others: count.describe('Payments for other rains, which are not compared.'),
  differences: z.array(difference).max(1_000),
  complete: z.boolean().describe('False: there are more differences; the CSV has all of them.'),
});

/** Largest statement, about 100,000 payments: it is held in memory. `rain reconcile` reads files of any size. */
const STATEMENT_BYTES_MAX = 8 * 1_024 * 1_024;

const upload = {
  method: 'POST',
  tag: 'wallet',
  access: 'viewer',
  params: rainParams,
  status: 200,
  bodyType: 'text/csv',
  bodyBytesMax: STATEMENT_BYTES_MAX,
  // Only a body of that type is parsed as bytes.
  body: z
    .custom<Buffer>((body) => body instanceof Buffer, 'expected the statement as text/csv')
    .meta({
      type: 'string',
      description:
        "The wallet's statement: a header line with the columns id, amount, time and, if there is one, user.",
    }),
} as const;
const path = '/api/console/rains/:rainId/reconcile';

export const reconcileApi = {
  compare: {
    ...upload,
    id: 'reconcileRain',
    path,
    summary: 'Compare a rain with the statement of the wallet that pays it. Changes nothing.',
    answer: reconciliation,
  },
  csv: {
    ...upload,
    id: 'exportReconciliation',
    path: `${path}.csv`,
    summary: 'All differences as CSV: UTF-8 with BOM. Cells that a spreadsheet would run as formulas are escaped.',
    answer: z.string(),
    mediaType: 'text/csv',
  },
} satisfies Record<string, Endpoint>;
