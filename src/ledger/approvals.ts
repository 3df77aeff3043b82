import { record, type ActionVerb, type Json } from './actions.ts';
import type { Database } from './database.ts';
import type { Approval } from './generated/client.ts';

interface NewApproval {
  id: string;
  verb: ActionVerb;
  rainId: string;
  /** The exact parameters of the verb. */
  request: Json;
  amountCents: bigint;
  askedBy: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** A verb that waits for a second operator, or did. Times are epoch ms. */
export interface BookedApproval extends Omit<NewApproval, 'verb'> {
  verb: string;
  askedAt: number;
  /** Absent: nobody has decided. */
  decision?: { by: string; at: number; isApproved: boolean };
  carriedOutAt?: number;
}

/**
 * Writes down a verb that waits.
 * @param waitingMax how many may wait of one who asks
 * @returns the one that waits already, if it is the same; `undefined`: as many as may wait
 */
export async function askApproval(
  database: Database,
  { expiresAt, ...asked }: NewApproval,
  waitingMax: number,
): Promise<BookedApproval | undefined> {
  const ofOne = { askedBy: asked.askedBy, decidedAt: null, expiresAt: { gt: new Date() } };
  const waiting = await database.approval.findFirst({
    where: {
      ...ofOne,
      verb: asked.verb,
      rainId: asked.rainId,
      request: { equals: asked.request },
    },
  });
  if (waiting) return toBooked(waiting);
  if ((await database.approval.count({ where: ofOne })) >= waitingMax) return undefined;
  return database.$transaction(async (transaction) => {
    const row = await transaction.approval.create({ data: { ...asked, expiresAt: new Date(expiresAt) } });
    await record(transaction, {
      actor: asked.askedBy,
      verb: 'approval_ask',
      rainId: asked.rainId,
      details: { approval: asked.id, verb: asked.verb },
    });
    return toBooked(row);
  });
}

export async function approval(database: Database, id: string): Promise<BookedApproval | undefined> {
  const row = await database.approval.findUnique({ where: { id } });
  return row ? toBooked(row) : undefined;
}

const isOpen = () => ({
  expiresAt: { gt: new Date() },
  carriedOutAt: null,
  OR: [{ decidedAt: null }, { isApproved: true }],
});

/**
 * Open approvals first, the largest amount before smaller ones, so that many small ones hide none; then the others,
 * latest first.
 * @param openMax @param overMax how many of each
 */
export async function approvals(database: Database, openMax: number, overMax: number): Promise<BookedApproval[]> {
  const open = isOpen();
  const [waiting, over] = await Promise.all([
    database.approval.findMany({
      where: open,
      orderBy: [{ amountCents: 'desc' }, { askedAt: 'asc' }, { id: 'asc' }],
      take: openMax,
    }),
    database.approval.findMany({ where: { NOT: open }, orderBy: [{ askedAt: 'desc' }, { id: 'asc' }], take: overMax }),
  ]);
  return [...waiting, ...over].map(toBooked);
}

/** @returns false: somebody has decided already, or its time is over */
export async function decideApproval(
  database: Database,
  { id, verb, rainId, askedBy }: BookedApproval,
  by: string,
  isApproved: boolean,
): Promise<boolean> {
  return database.$transaction(async (transaction) => {
    const { count } = await transaction.approval.updateMany({
      where: { id, decidedAt: null, expiresAt: { gt: new Date() } },
      data: { decidedBy: by, decidedAt: new Date(), isApproved },
    });
    if (count === 1)
      await record(transaction, {
        actor: by,
        verb: isApproved ? 'approval_approve' : 'approval_refuse',
        rainId,
        details: { approval: id, verb, askedBy },
      });
    return count === 1;
  });
}

/** @returns false: it was carried out before */
export async function carriedOut(database: Database, id: string): Promise<boolean> {
  return (
    (
      await database.approval.updateMany({
        where: { id, isApproved: true, carriedOutAt: null },
        data: { carriedOutAt: new Date() },
      })
    ).count === 1
  );
}

function toBooked({
  request,
  askedAt,
  expiresAt,
  decidedBy,
  decidedAt,
  isApproved,
  carriedOutAt,
  ...plain
}: Approval): BookedApproval {
  return {
    ...plain,
    request: request as Json,
    askedAt: askedAt.getTime(),
    expiresAt: expiresAt.getTime(),
    ...(decidedBy !== null &&
      decidedAt !== null && { decision: { by: decidedBy, at: decidedAt.getTime(), isApproved: isApproved === true } }),
    ...(carriedOutAt && { carriedOutAt: carriedOutAt.getTime() }),
  };
}
