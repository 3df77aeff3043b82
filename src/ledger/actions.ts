import type { Prisma } from './generated/client.ts';
import type { Database, Transaction } from './database.ts';

/** JSON as the book stores it: no bigint, no Date. */
export type Json = Prisma.InputJsonObject;

/** Something a person did: who, what, to which rain, with which words. */
interface Action {
  actor: string;
  verb: string;
  rainId?: string;
  details?: Json;
}

/** Written in the same transaction as what it tells about, wherever the book itself is changed. */
export async function record(database: Database | Transaction, { actor, verb, rainId, details = {} }: Action): Promise<void> {
  await database.operatorAction.create({ data: { actor, verb, rainId: rainId ?? null, details }, select: { id: true } });
}

interface RecordedAction extends Action {
  /** Epoch ms. */
  at: number;
}

/** What was done to a rain, oldest first. */
export async function actions(database: Database, rainId: string, limit = 1_000): Promise<RecordedAction[]> {
  const rows = await database.operatorAction.findMany({ where: { rainId }, orderBy: { id: 'asc' }, take: limit });
  return rows.map(({ actor, verb, details, at }) => ({ actor, verb, rainId, details: details as Json, at: at.getTime() }));
}

interface NumberedAction extends RecordedAction {
  /** Later ones have higher ones; text, since JSON has no bigint. */
  id: string;
}

/** What was done, of one rain or of all, the latest first. @param before the id of the last one of the page before */
export async function latestActions(database: Database, { rainId, before, limit }: { rainId?: string; before?: bigint; limit: number }): Promise<NumberedAction[]> {
  const rows = await database.operatorAction.findMany({
    where: { ...(rainId !== undefined && { rainId }), ...(before !== undefined && { id: { lt: before } }) }, orderBy: { id: 'desc' }, take: limit,
  });
  return rows.map(({ id, actor, verb, rainId: about, details, at }) => ({ id: String(id), actor, verb, ...(about !== null && { rainId: about }), details: details as Json, at: at.getTime() }));
}
