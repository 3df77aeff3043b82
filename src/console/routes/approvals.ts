import { approve, listApprovals, refuseApproval, type ApprovalView } from '../../operator/approval/decide.ts';
import { iso } from '../../rain/figures.ts';
import { approvalsApi } from '../contract/approvals.ts';
import { declinedFor, route, type Route } from './route.ts';

export const approvalRoutes: readonly Route[] = [
  route(approvalsApi.list, async ({ context }) => ({
    answer: { approvals: (await listApprovals(context)).map(withTimes) },
  })),

  route(approvalsApi.approve, async ({ context, params: { approvalId } }) => {
    const done = await approve(context, approvalId);
    return done.ok ? { answer: withTimes(done.approval) } : declinedFor(done.refusals);
  }),

  route(approvalsApi.refuse, async ({ context, params: { approvalId } }) => {
    const done = await refuseApproval(context, approvalId);
    return done.ok ? { answer: withTimes(done.approval) } : declinedFor(done.refusals);
  }),
];

function withTimes({ askedAt, expiresAt, decision, carriedOutAt, request, ...plain }: ApprovalView) {
  return {
    ...plain,
    request: { ...request },
    askedAt: iso(askedAt),
    expiresAt: iso(expiresAt),
    ...(decision && { decision: { ...decision, at: iso(decision.at) } }),
    ...(carriedOutAt !== undefined && { carriedOutAt: iso(carriedOutAt) }),
  };
}
