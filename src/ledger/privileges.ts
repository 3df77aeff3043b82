import type { Client } from 'pg';

/** One role's use of a table. It reads it, deletes rows only where it says so, and changes these columns only. */
interface Use {
  append?: true;
  remove?: true;
  update?: readonly string[];
}

const APPEND = { append: true } as const;
const RESERVED = { ...APPEND, update: ['budgetCents', 'reservedCents'] } as const;
const ENDED = ['sealedAt', 'settledAt'] as const;
const STEPPED = ['status', 'changedAt'] as const;
/**
 * Notes of what Redis does not know yet. They are locked before they are deleted, which takes the right to change them.
 */
const NOTES = { ...APPEND, remove: true, update: ['changedAt'] } as const;
const EPOCH = { update: ['counter'] } as const;
/** Stock moves by the database's own functions, so nobody writes a transfer of units. */
const STOCK = { SaleItem: {}, SaleTopUp: {}, StockTransfer: {}, StockAccount: {} } as const;

/** The grants of deploy/postgresql/grants.sql: to the console and the command line, and to the workers. */
const USES = {
  operator: {
    Account: {},
    Rain: { ...APPEND, update: ['budgetCents', 'packets', 'opensAt', 'closesAt', 'sealedAt', 'settledAt', 'keeper'] },
    Campaign: APPEND,
    Portion: APPEND,
    Allocation: APPEND,
    Transfer: APPEND,
    OperatorAction: APPEND,
    Discard: APPEND,
    Reservation: APPEND,
    ReservedBudget: RESERVED,
    Operator: {
      ...APPEND,
      update: ['role', 'passwordHash', 'epoch', 'disabledAt', 'totpSecret', 'totpStep', 'endedSessions'],
    },
    OperatorToken: { ...APPEND, update: ['revokedAt', 'lastUsedAt', 'lastUsedFrom'] },
    RecoveryCode: { ...APPEND, update: ['endedAt'] },
    Approval: { ...APPEND, update: ['decidedBy', 'decidedAt', 'isApproved', 'carriedOutAt'] },
    StoreEpoch: EPOCH,
    ...STOCK,
    SaleItem: APPEND,
    SaleTopUp: APPEND,
    Sale: { ...APPEND, update: ['opensAt', 'closesAt', ...ENDED] },
    SaleOrder: { update: STEPPED },
    UnfollowedOrder: NOTES,
    SaleRefusal: APPEND,
    Erasure: APPEND,
    Participant: {
      ...APPEND,
      update: ['name', 'department', 'userId', 'codeSalt', 'codeKey', 'addedAt', 'enteredAt', 'removedAt'],
    },
    CampaignExclusion: { ...APPEND, remove: true },
    Theme: { ...APPEND, remove: true, update: ['title', 'colours', 'isDefault', 'changedAt'] },
    ThemeFile: { ...APPEND, remove: true, update: ['type', 'bytes', 'sha256'] },
    ItemPicture: { ...APPEND, remove: true, update: ['keptAt'] },
    Greeting: { ...APPEND, update: ['sender', 'blessing', 'themeId', 'prizes', 'changedAt'] },
    Template: { ...APPEND, remove: true, update: ['title', 'rain', 'changedAt'] },
  },
  worker: {
    Account: {},
    Rain: { update: ['sealedAt', 'settledAt', 'keeper'] },
    Campaign: {},
    Portion: {},
    Allocation: {},
    Transfer: APPEND,
    OperatorAction: APPEND,
    Discard: {},
    Reservation: APPEND,
    ReservedBudget: RESERVED,
    StoreEpoch: EPOCH,
    ...STOCK,
    Sale: { update: ENDED },
    SaleOrder: { ...APPEND, update: STEPPED },
    UnfollowedOrder: NOTES,
    SaleRefusal: APPEND,
    Participant: {},
    CampaignExclusion: {},
    Theme: {},
    ThemeFile: {},
    ItemPicture: {},
    Greeting: {},
    Template: {},
  },
} as const satisfies Record<string, Record<string, Use>>;
const ACTION_IDS = '"OperatorAction_id_seq"';

export type DatabaseRole = keyof typeof USES;

/**
 * The privileges of a role that this user does not have, such as `INSERT on "Transfer"`; none while the tables do not
 * exist.
 */
export async function missingPrivileges(client: Client, role: DatabaseRole): Promise<string[]> {
  const missing: string[] = [];
  const holds = async (expression: string) =>
    (await client.query<{ held: boolean }>(`SELECT ${expression} AS held`)).rows[0]!.held;
  const need = async (held: string, privilege: string) => {
    if (!(await holds(held))) missing.push(privilege);
  };
  const exists = (name: string) => holds(`to_regclass('${name}') IS NOT NULL`);
  for (const [table, { append, remove, update = [] }] of Object.entries<Use>(USES[role])) {
    const name = `"${table}"`;
    if (!(await exists(name))) continue;
    for (const privilege of ['SELECT', ...(append ? ['INSERT'] : []), ...(remove ? ['DELETE'] : [])])
      await need(`has_table_privilege('${name}', '${privilege}')`, `${privilege} on ${name}`);
    for (const column of update)
      await need(`has_column_privilege('${name}', '${column}', 'UPDATE')`, `UPDATE ("${column}") on ${name}`);
  }
  if (await exists(ACTION_IDS))
    await need(`has_sequence_privilege('${ACTION_IDS}', 'USAGE')`, `USAGE on sequence ${ACTION_IDS}`);
  return missing;
}
