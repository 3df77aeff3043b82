import { z } from 'zod';
import { money, time, type Endpoint } from './endpoint.ts';

const approval = z.object({
  id: z.string(),
  verb: z.string(),
  rainId: z.string(),
  amount: money,
  request: z.record(z.string(), z.unknown()).describe('The exact parameters of the verb.'),
  state: z
    .enum(['waiting', 'approved', 'carried_out', 'refused', 'ended'])
    .describe(
      'approved: it was cut, or could not be carried out; approve it again. ended: nobody approved it in time.',
    ),
  askedBy: z.string(),
  askedAt: time,
  expiresAt: time,
  decision: z.object({ by: z.string(), at: time, isApproved: z.boolean() }).optional(),
  carriedOutAt: time.optional(),
});

const path = '/api/console/approvals';
const tag = 'approvals';
const params = z.strictObject({ approvalId: z.string().regex(/^[0-9a-f]{18}$/, 'expected the id of an approval') });

export const approvalsApi = {
  list: {
    id: 'listApprovals',
    method: 'GET',
    path,
    tag,
    summary: 'Verbs that wait for a second operator, the largest amount first; then those that did, latest first.',
    access: 'viewer',
    status: 200,
    answer: z.object({ approvals: z.array(approval) }),
  },
  approve: {
    id: 'approve',
    method: 'POST',
    path: `${path}/:approvalId/approve`,
    tag,
    summary: 'Approve what another operator has asked for, and carry it out.',
    access: 'operator',
    params,
    status: 200,
    answer: approval,
  },
  refuse: {
    id: 'refuseApproval',
    method: 'POST',
    path: `${path}/:approvalId/refuse`,
    tag,
    summary: 'Refuse it. It is never carried out.',
    access: 'operator',
    params,
    status: 200,
    answer: approval,
  },
} satisfies Record<string, Endpoint>;
