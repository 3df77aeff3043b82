import type { Act } from './act.ts';

const NOW = 'now()';

export const LEDGER_ACTS: readonly Act[] = [
  {
    name: 'a balance raised',
    store: 'ledger',
    strike: ({ sql, users }) =>
      sql(
        `UPDATE "Account" SET "balanceCents" = "balanceCents" + 5000 WHERE "id" = 'user:${[...users.told.keys()][0]}'`,
      ),
  },
  {
    name: 'an account made with money',
    store: 'ledger',
    strike: ({ sql, thief }) =>
      sql(`INSERT INTO "Account" ("id", "kind", "balanceCents") VALUES ('user:${thief}', 'user', 5000)`),
  },
  {
    name: 'a transfer changed',
    store: 'ledger',
    strike: ({ sql, rainId }) =>
      sql(`UPDATE "Transfer" SET "amountCents" = 5000 WHERE "rainId" = '${rainId}' AND "kind" = 'credit'`),
  },
  {
    name: 'a transfer deleted',
    store: 'ledger',
    strike: ({ sql, rainId }) => sql(`DELETE FROM "Transfer" WHERE "rainId" = '${rainId}' AND "kind" = 'credit'`),
  },
  {
    name: 'a transfer deleted by a superuser',
    store: 'ledger',
    strike: ({ sqlWithoutTriggers, rainId }) =>
      sqlWithoutTriggers(
        `DELETE FROM "Transfer" WHERE "id" = (SELECT min("id") FROM "Transfer" WHERE "rainId" = '${rainId}' AND "kind" = 'credit')`,
      ),
  },
  {
    name: 'a balance raised by a superuser',
    store: 'ledger',
    alone: true,
    strike: ({ sqlWithoutTriggers, users }) =>
      sqlWithoutTriggers(
        `UPDATE "Account" SET "balanceCents" = "balanceCents" + 5000 WHERE "id" = 'user:${[...users.told.keys()][0]}'`,
      ),
  },
  {
    name: 'a credit for a packet that was never made',
    store: 'ledger',
    strike: ({ sql, rainId, thief }) => sql(credit(rainId, `${rainId}-9999`, thief, 5000)),
  },
  {
    name: 'a credit for a real packet, of more than it holds',
    store: 'ledger',
    strike: async ({ sql, rainId, thief, freePacket }) => sql(credit(rainId, await freePacket(), thief, 5000)),
  },
  {
    name: 'a packet that no top-up has planned, and its credit, by the role of the console',
    store: 'ledger',
    strike: ({ sql, rainId, thief, planned }) =>
      sql(
        `SET ROLE rain; ${allocation(rainId, planned.size)} ${credit(rainId, `${rainId}-${planned.size}`, thief, 5000)}`,
      ),
  },
  {
    name: 'the same with a top-up of which one cent is paid',
    store: 'ledger',
    strike: ({ sql, rainId, thief, planned }) =>
      sql(`SET ROLE rain;
        INSERT INTO "Portion" ("id", "rainId", "ordinal", "budgetCents", "packets", "split", "seed", "commitment")
          VALUES ('${thief}', '${rainId}', 1, 5000, 1, '{}', 's', 'c');
        INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId")
          VALUES ('fund:${rainId}/1', 'fund', 'operator', 'rain:${rainId}', 1, '${rainId}');
        ${allocation(rainId, planned.size)} ${credit(rainId, `${rainId}-${planned.size}`, thief, 5000)}`),
  },
  {
    name: 'the packets of a rain replaced in the ledger',
    store: 'ledger',
    strike: ({ sql, rainId }) =>
      sql(
        `UPDATE "Allocation" SET "amounts" = decode(repeat('0000000000001388', 40), 'hex') WHERE "rainId" = '${rainId}'`,
      ),
  },
  {
    name: 'the seed of a rain replaced',
    store: 'ledger',
    strike: ({ sql, rainId }) => sql(`UPDATE "Rain" SET "seed" = '${'ab'.repeat(32)}' WHERE "id" = '${rainId}'`),
  },
  {
    name: 'the budget of a rain raised',
    store: 'ledger',
    strike: ({ sql, rainId }) => sql(`UPDATE "Rain" SET "budgetCents" = "budgetCents" + 5000 WHERE "id" = '${rainId}'`),
  },
  {
    name: "the packet of an honest winner discarded in the ledger's record",
    store: 'ledger',
    async strike({ sql, rainId, freePacket }) {
      const packet = await freePacket();
      await sql(`INSERT INTO "Discard" ("letterId", "rainId", "entry", "deadReason", "reason", "actor", "redPacketId", "amountCents", "at")
        VALUES ('${rainId}-0-0-0000000000000000', '${rainId}', '', 'refused', 'no reason', 'nobody', '${packet}', 100, ${NOW})`);
    },
  },
];

/** One packet of 50.00 after the others. */
const allocation = (rainId: string, firstPacket: number) =>
  `INSERT INTO "Allocation" VALUES ('${rainId}', 1, ${firstPacket}, decode('0000000000001388', 'hex'));`;

function credit(rainId: string, redPacketId: string, userId: string, cents: number): string {
  return `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId", "postedAt")
    VALUES ('credit:${redPacketId}', 'credit', 'rain:${rainId}', 'user:${userId}', ${cents}, '${rainId}', '${redPacketId}', '${userId}', ${NOW})`;
}
