import { z } from 'zod';
import { DIFFERENCES, type DifferenceKind } from '../../operator/restore/difference.ts';
import { rainId } from '../../rain/ids.ts';
import { count, money, type Endpoint } from './endpoint.ts';

/** Rains listed in one answer; `rain restore check` lists all [R10]. */
export const DIFFERING_RAINS_MAX = 100;

const kind = z.enum(Object.keys(DIFFERENCES) as [DifferenceKind, ...DifferenceKind[]]);

/** The same fields as in `rain restore check --json`. */
const differing = z.object({
  rainId: z.string().describe('The rain, or the sale.'),
  sale: z.boolean().describe('Whether it is a sale.'),
  title: z.string(),
  counts: z.partialRecord(kind, count).describe('By kind of difference.'),
  differences: z
    .array(
      z.object({
        kind,
        sentence: z.string(),
        orderId: z.string().optional(),
        redPacketId: z.string().optional(),
        userId: z.string().optional(),
        amount: money.optional(),
      }),
    )
    .describe('The first hundred of each kind.'),
  waysOut: z.partialRecord(kind, z.string()).describe('What to do, by kind.'),
});

export const restoreApi = {
  check: {
    id: 'checkRestore',
    method: 'GET',
    path: '/api/console/restore/check',
    tag: 'system',
    access: 'viewer',
    status: 200,
    summary:
      'Compare Redis with the database, for one rain or sale or for all: what only one of them knows, and what to do. Changes nothing.',
    query: z.strictObject({ rainId: rainId.optional() }),
    answer: z.object({
      agree: z.boolean(),
      compared: count.describe('Rains and sales that were compared.'),
      rains: z.array(differing).max(DIFFERING_RAINS_MAX).describe('Those that differ.'),
      complete: z.boolean().describe('False: more rains differ.'),
    }),
  },
} satisfies Record<string, Endpoint>;
