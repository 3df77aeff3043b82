import { randomBytes } from 'node:crypto';
import type { ActionVerb, Json } from '../../ledger/actions.ts';
import { formatMoney, type Cents } from '../../rain/money.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';

/** The verbs that may have to wait. They are stored, so none is renamed. */
export type ApprovedVerb = Extract<ActionVerb, 'create' | 'top-up' | 'write-off'>;

/** Stands in place of a field: nothing in the request is wrong. */
export const NEEDS_APPROVAL = 'needs_approval';
/** A request that nobody approves ends after this time. */
const APPROVAL_MS = 24 * 3_600_000;
const ID_BYTES = 9;
/** One operator's at a time: nobody looks through more, and each is kept [R10]. */
const WAITING_MAX = 100;

interface Asked {
  verb: ApprovedVerb;
  rainId: string;
  /** The exact parameters, with every id that the verb chooses: carried out twice, it changes nothing twice. */
  request: object;
  /** The money that the verb moves. */
  amountCents: Cents;
  /** The amount compared with the limit; default `amountCents`. */
  judgedCents?: Cents;
}

/**
 * Called by a verb when all else is checked.
 * @returns the refusal that names what waits; `undefined`: it needs no approval
 */
export async function needsApproval(
  { ledger, actor, approvalAboveCents }: OperatorContext,
  { request, judgedCents, ...asked }: Asked,
): Promise<Refused | undefined> {
  const cents = judgedCents ?? asked.amountCents;
  if (approvalAboveCents === undefined || cents <= approvalAboveCents) return undefined;
  const waiting = await ledger.askApproval(
    {
      ...asked,
      id: randomBytes(ID_BYTES).toString('hex'),
      request: JSON.parse(JSON.stringify(request)) as Json,
      askedBy: actor,
      expiresAt: Date.now() + APPROVAL_MS,
    },
    WAITING_MAX,
  );
  if (!waiting)
    return refuse(
      'approval',
      `expected at most ${WAITING_MAX} requests of one operator that wait for another one; have some of them decided first`,
    );
  return refuse(
    NEEDS_APPROVAL,
    `${formatMoney(cents)} is more than ${formatMoney(approvalAboveCents)}, so it waits as ${waiting.id} for another operator, at most a day: see Approvals, or rain approvals list`,
  );
}
