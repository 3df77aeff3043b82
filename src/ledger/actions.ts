import type { Prisma } from './generated/client.ts';
import type { Database, Transaction } from './database.ts';

/** JSON as the ledger stores it: no bigint, no Date. */
export type Json = Prisma.InputJsonObject;

/** What operators and the system do. A verb is stored, so it is never renamed. */
export type ActionVerb =
  | 'create' | 'load' | 'pause' | 'resume' | 'close' | 'recycle' | 'start' | 'schedule' | 'top-up' | 'create-campaign' | 'roll-over'
  | 'repair' | 'requeue' | 'discard' | 'write-off' | 'restore' | 'block' | 'unblock' | 'switch'
  | 'login' | 'login_failed' | 'logout' | 'operator_add' | 'operator_password' | 'operator_disable' | 'operator_token';

interface Action {
  actor: string;
  verb: ActionVerb;
  rainId?: string;
  details?: Json;
}

/** A newer version may have recorded a verb that is unknown here. */
type RecordedAction = Omit<Action, 'verb'> & { verb: string; /** Epoch ms. */ at: number };

/** Records an action, in the same transaction as the change that it describes. */
export async function record(database: Database | Transaction, { actor, verb, rainId, details = {} }: Action): Promise<void> {
  await database.operatorAction.create({ data: { actor, verb, rainId: rainId ?? null, details }, select: { id: true } });
}

/** What was done to a rain, oldest first. */
export async function actions(database: Database, rainId: string, limit = 1_000): Promise<RecordedAction[]> {
  const rows = await database.operatorAction.findMany({ where: { rainId }, orderBy: { id: 'asc' }, take: limit });
  return rows.map(({ actor, verb, details, at }) => ({ actor, verb, rainId, details: details as Json, at: at.getTime() }));
}

/**
 * The actions of one rain or of all rains, latest first; `id` increases with time (a string: JSON has no bigint).
 * @param before id of the last action of the previous page
 */
export async function latestActions(database: Database, { rainId, before, limit }: { rainId?: string; before?: bigint; limit: number }): Promise<(RecordedAction & { id: string })[]> {
  const rows = await database.operatorAction.findMany({
    where: { ...(rainId !== undefined && { rainId }), ...(before !== undefined && { id: { lt: before } }) }, orderBy: { id: 'desc' }, take: limit,
  });
  return rows.map(({ id, actor, verb, rainId: about, details, at }) => ({ id: String(id), actor, verb, ...(about !== null && { rainId: about }), details: details as Json, at: at.getTime() }));
}
