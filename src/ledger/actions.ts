import type { Prisma } from './generated/client.ts';
import type { Database, Transaction } from './database.ts';

/** JSON as the ledger stores it: no bigint, no Date. */
export type Json = Prisma.InputJsonObject;

/** Actions of operators and of the system. A verb is stored, so it is never renamed. */
export const ACTION_VERBS = [
  'create',
  'load',
  'pause',
  'resume',
  'close',
  'recycle',
  'start',
  'schedule',
  'top-up',
  'tickets',
  'create-campaign',
  'exclude',
  'readmit',
  'roll-over',
  'repair',
  'requeue',
  'discard',
  'write-off',
  'restore',
  'block',
  'unblock',
  'switch',
  'create-sale',
  'top-up-sale',
  'end-sale',
  'item_picture',
  'pay',
  'cancel',
  'refund',
  'fail',
  'export-user',
  'erase-user',
  'participants_import',
  'participants_cards',
  'participants_renew',
  'participants_remove',
  'theme_set',
  'theme_remove',
  'theme_file',
  'theme_file_remove',
  'greeting',
  'template_save',
  'template_remove',
  'login',
  'login_failed',
  'logout',
  'operator_add',
  'operator_password',
  'operator_disable',
  'operator_token',
  'operator_role',
  'operator_end',
  'operator_totp',
  'operator_totp_reset',
  'recovery_code',
  'approval_ask',
  'approval_approve',
  'approval_refuse',
] as const;
export type ActionVerb = (typeof ACTION_VERBS)[number];

interface Action {
  actor: string;
  verb: ActionVerb;
  rainId?: string;
  details?: Json;
}

/** A newer version may have recorded a verb that is unknown here. */
type RecordedAction = Omit<Action, 'verb'> & { verb: string; /** Epoch ms. */ at: number };

/** Records an action, in the same transaction as the change that it describes. */
export async function record(
  database: Database | Transaction,
  { actor, verb, rainId, details = {} }: Action,
): Promise<void> {
  await database.operatorAction.create({
    data: { actor, verb, rainId: rainId ?? null, details },
    select: { id: true },
  });
}

/** Makes a change and, if it changed anything, its record, in one transaction. @returns whether it did */
export async function recordChange(
  database: Database,
  actor: string,
  verb: ActionVerb,
  details: Json,
  change: (transaction: Transaction) => Promise<{ count: number }>,
): Promise<boolean> {
  return database.$transaction(async (transaction) => {
    const { count } = await change(transaction);
    if (count > 0) await record(transaction, { actor, verb, details });
    return count > 0;
  });
}

/** The actions on a rain, oldest first. */
export async function actions(database: Database, rainId: string, limit = 1_000): Promise<RecordedAction[]> {
  const rows = await database.operatorAction.findMany({ where: { rainId }, orderBy: { id: 'asc' }, take: limit });
  return rows.map(({ actor, verb, details, at }) => ({
    actor,
    verb,
    rainId,
    details: details as Json,
    at: at.getTime(),
  }));
}

/** The details of the latest action of this kind; undefined: there was none. */
export async function lastDetails(database: Database, rainId: string, verb: ActionVerb): Promise<Json | undefined> {
  const row = await database.operatorAction.findFirst({
    where: { rainId, verb },
    orderBy: { id: 'desc' },
    select: { details: true },
  });
  return row ? (row.details as Json) : undefined;
}

/** Which actions; what is absent does not matter. */
export interface ActionFilter {
  /** The id of a rain or of a sale. */
  rainId?: string | undefined;
  verb?: ActionVerb | undefined;
  actor?: string | undefined;
  /** Epoch ms, from `since` on and before `until`. */
  since?: number | undefined;
  until?: number | undefined;
}

/**
 * The actions that pass a filter, latest first (`id` is a string: JSON has no bigint). Time comes first in the order,
 * so that each filter reads one index from its end: by id, a month that is long past would be looked for through all
 * that came after it.
 * @param before id of the last action of the previous page
 */
export async function latestActions(
  database: Database,
  { rainId, verb, actor, since, until, before, limit }: ActionFilter & { before?: bigint | undefined; limit: number },
): Promise<(RecordedAction & { id: string })[]> {
  // An id that no action has: a change that was rolled back has taken it.
  const last =
    before === undefined
      ? undefined
      : await database.operatorAction.findFirst({
          where: { id: { lte: before } },
          orderBy: { id: 'desc' },
          select: { at: true },
        });
  if (before !== undefined && !last) return [];
  const rows = await database.operatorAction.findMany({
    where: {
      ...(rainId !== undefined && { rainId }),
      ...(verb !== undefined && { verb }),
      ...(actor !== undefined && { actor }),
      ...((since ?? until ?? last) !== undefined && {
        at: {
          ...(since !== undefined && { gte: new Date(since) }),
          ...(until !== undefined && { lt: new Date(until) }),
          ...(last && { lte: last.at }),
        },
      }),
      ...(last && { OR: [{ at: { lt: last.at } }, { id: { lt: before! } }] }),
    },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: limit,
  });
  return rows.map(({ id, actor: by, verb: done, rainId: about, details, at }) => ({
    id: String(id),
    actor: by,
    verb: done,
    ...(about !== null && { rainId: about }),
    details: details as Json,
    at: at.getTime(),
  }));
}
