import type { Client } from 'pg';

/** What one role does to a table. It reads it, deletes nothing, and changes these columns only. */
interface Use {
  append?: true;
  update?: readonly string[];
}

const APPEND = { append: true } as const;
const RESERVED = { ...APPEND, update: ['budgetCents', 'reservedCents'] } as const;
const EPOCH = { update: ['counter'] } as const;

/** What deploy/postgresql/grants.sql grants: to the console and the command line, and to the workers. */
const USES = {
  operator: {
    Account: {}, Rain: { ...APPEND, update: ['budgetCents', 'packets', 'opensAt', 'closesAt', 'sealedAt', 'settledAt', 'keeper'] },
    Campaign: APPEND, Portion: APPEND, Allocation: APPEND, Transfer: APPEND, OperatorAction: APPEND, Discard: APPEND, Reservation: APPEND, ReservedBudget: RESERVED,
    Operator: { ...APPEND, update: ['passwordHash', 'epoch', 'disabledAt'] }, OperatorToken: { ...APPEND, update: ['revokedAt'] }, StoreEpoch: EPOCH,
  },
  worker: {
    Account: {}, Rain: { update: ['sealedAt', 'settledAt', 'keeper'] }, Campaign: {}, Portion: {}, Allocation: {},
    Transfer: APPEND, OperatorAction: APPEND, Discard: {}, Reservation: APPEND, ReservedBudget: RESERVED, StoreEpoch: EPOCH,
  },
} as const satisfies Record<string, Record<string, Use>>;
const ACTION_IDS = '"OperatorAction_id_seq"';

export type DatabaseRole = keyof typeof USES;

/** The privileges of a role that this user does not have, such as `INSERT on "Transfer"`; none while the tables do not exist. */
export async function missingPrivileges(client: Client, role: DatabaseRole): Promise<string[]> {
  const missing: string[] = [];
  const holds = async (expression: string) => (await client.query<{ held: boolean }>(`SELECT ${expression} AS held`)).rows[0]!.held;
  const need = async (held: string, privilege: string) => {
    if (!await holds(held)) missing.push(privilege);
  };
  const exists = (name: string) => holds(`to_regclass('${name}') IS NOT NULL`);
  for (const [table, { append, update = [] }] of Object.entries<Use>(USES[role])) {
    const name = `"${table}"`;
    if (!await exists(name)) continue;
    for (const privilege of append ? ['SELECT', 'INSERT'] : ['SELECT']) await need(`has_table_privilege('${name}', '${privilege}')`, `${privilege} on ${name}`);
    for (const column of update) await need(`has_column_privilege('${name}', '${column}', 'UPDATE')`, `UPDATE ("${column}") on ${name}`);
  }
  if (await exists(ACTION_IDS)) await need(`has_sequence_privilege('${ACTION_IDS}', 'USAGE')`, `USAGE on sequence ${ACTION_IDS}`);
  return missing;
}
