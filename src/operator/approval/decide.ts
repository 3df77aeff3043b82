import type { BookedApproval } from '../../ledger/approvals.ts';
import { formatMoney } from '../../rain/money.ts';
import { refuse, type OperatorContext, type QueueContext, type Refused } from '../context.ts';
import { createRain, type CreateRequest } from '../create.ts';
import { topUpRain, type TopUpRequest } from '../topUp.ts';
import { writeOffRain, type WriteOffRequest } from '../writeOff.ts';
import type { ApprovedVerb } from './ask.ts';

export interface ApprovalView extends Omit<BookedApproval, 'amountCents'> {
  amount: string;
  state: 'waiting' | 'approved' | 'carried_out' | 'refused' | 'ended';
}

/** In one answer [R10]. */
const OPEN_MAX = 1_000;
const OVER_MAX = 200;

/** Waiting ones first, the largest before smaller ones; then the others, latest first. */
export async function listApprovals({ ledger }: Pick<OperatorContext, 'ledger'>): Promise<ApprovalView[]> {
  return (await ledger.approvals(OPEN_MAX, OVER_MAX)).map(viewOf);
}

/**
 * Approves what another operator has asked for, and carries it out under that operator's name. If it is cut, or refused
 * for now, repeat it before its time is over: its parameters have every id, so it is carried out once.
 */
export async function approve(
  context: QueueContext,
  id: string,
): Promise<{ ok: true; approval: ApprovalView } | Refused> {
  const found = await readDecidable(context, id);
  if (!found.ok) return found;
  const { asked } = found;
  if (!asked.decision && !(await context.ledger.decideApproval(asked, context.actor, true)))
    return refuse('id', `somebody else has decided about ${id} just now`);
  const { approvalAboveCents: _, ...free } = context;
  const done = await carryOut({ ...free, actor: asked.askedBy }, asked);
  if (!done.ok) return done;
  await context.ledger.carriedOut(id);
  return { ok: true, approval: viewOf((await context.ledger.approval(id))!) };
}

/** A refused action is never carried out. */
export async function refuseApproval(
  context: OperatorContext,
  id: string,
): Promise<{ ok: true; approval: ApprovalView } | Refused> {
  const asked = await context.ledger.approval(id);
  if (!asked) return unknown(id);
  if (viewOf(asked).state !== 'waiting')
    return refuse('id', `${id} does not wait any more: it is ${viewOf(asked).state}`);
  if (isSamePerson(asked.askedBy, context.actor))
    return refuse('id', `you have asked for ${id} yourself; it ends by itself`);
  if (!(await context.ledger.decideApproval(asked, context.actor, false)))
    return refuse('id', `somebody else has decided about ${id} just now`);
  return { ok: true, approval: viewOf((await context.ledger.approval(id))!) };
}

async function readDecidable(
  { ledger, actor }: OperatorContext,
  id: string,
): Promise<{ ok: true; asked: BookedApproval } | Refused> {
  const asked = await ledger.approval(id);
  if (!asked) return unknown(id);
  if (isSamePerson(asked.askedBy, actor))
    return refuse('id', `you have asked for ${id} yourself; another operator approves it`);
  const { state } = viewOf(asked);
  return state === 'waiting' || state === 'approved'
    ? { ok: true, asked }
    : refuse('id', `${id} does not wait any more: it is ${state}`);
}

function carryOut(context: QueueContext, { verb, rainId, request }: BookedApproval): Promise<{ ok: true } | Refused> {
  // Written by the verb itself, and nobody may change it: see deploy/postgresql/grants.sql.
  switch (verb as ApprovedVerb) {
    case 'create':
      return createRain(context, request as unknown as CreateRequest);
    case 'top-up':
      return topUpRain(context, rainId, request as unknown as TopUpRequest);
    case 'write-off': {
      const { reason, ...options } = request as unknown as WriteOffRequest;
      return writeOffRain(context, rainId, reason, options);
    }
    default:
      return Promise.resolve(refuse('id', `this version cannot carry out ${verb}`));
  }
}

/** The same operator may be at the console and at the command line. */
function isSamePerson(a: string, b: string): boolean {
  return a.replace(/^[^:]*:/, '') === b.replace(/^[^:]*:/, '');
}

const unknown = (id: string): Refused => refuse('id', `nothing waits as ${id}; see rain approvals list`);

function viewOf({ amountCents, request, ...plain }: BookedApproval): ApprovalView {
  // The seed of a rain predicts every packet.
  const { seed, ...open } = request;
  return {
    ...plain,
    request: { ...open, ...(seed !== undefined && { seed: 'given' }) },
    amount: formatMoney(amountCents),
    state: stateOf(plain),
  };
}

function stateOf({
  decision,
  carriedOutAt,
  expiresAt,
}: Omit<BookedApproval, 'amountCents' | 'request'>): ApprovalView['state'] {
  if (carriedOutAt !== undefined) return 'carried_out';
  if (decision?.isApproved === false) return 'refused';
  if (expiresAt <= Date.now()) return 'ended';
  return decision ? 'approved' : 'waiting';
}
