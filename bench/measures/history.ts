import { Client } from 'pg';
import { listRains } from '../../src/operator/list.ts';
import { compared, type Row } from '../report/row.ts';
import { openStore } from '../support/store.ts';
import type { BaselineOptions, Measure } from './measure.ts';

const WINNERS = 500;
/** Settled rains that all of them have won in. */
const PAST = 40;
const TIMES = 10;
const LISTED = 20;
const ROUNDS = 30;
/** A look at the present may cost so much more with ten times the past. */
const MOST = 1.2;

/** A list of rains, and the audit of a rain's accounts, with ten times the past. */
export const history: Measure = {
  name: 'history',
  onlyWhenAsked: 'quick',
  rows: async (options) => [
    await compareSides(
      options,
      { rains: LISTED, winners: WINNERS },
      { rains: LISTED, winners: WINNERS * TIMES },
      `a list of ${LISTED} rains with ten times the winners: time`,
      ({ list }) => list(),
    ),
    await compareSides(
      options,
      { rains: PAST, winners: WINNERS },
      { rains: PAST * TIMES, winners: WINNERS },
      `the accounts of ${WINNERS} winners of ten times as many rains are audited: time`,
      ({ audit }) => audit(),
    ),
  ],
};

interface Past {
  rains: number;
  /** In each rain. */
  winners: number;
}

async function compareSides(
  options: BaselineOptions,
  short: Past,
  long: Past,
  measure: string,
  work: (side: Side) => Promise<unknown>,
): Promise<Row> {
  const sides = [await startSide(options, long), await startSide(options, short)] as const;
  try {
    const [ours, theirs]: [number[], number[]] = [[], []];
    // The first round warms up, and the audit keeps its sums.
    for (let round = 0; round <= ROUNDS; round++) {
      const [ourMs, theirMs] = [await msOf(() => work(sides[0])), await msOf(() => work(sides[1]))];
      if (round > 0) void (ours.push(ourMs), theirs.push(theirMs));
    }
    const against = `${short.rains} rains of ${short.winners}`;
    return compared({ measure, against, unit: 'ms', target: { most: MOST } }, ours, theirs);
  } finally {
    for (const side of sides) await side.close();
  }
}

type Side = Awaited<ReturnType<typeof startSide>>;

async function startSide({ postgres, say }: BaselineOptions, past: Past) {
  say(`${past.rains} rains of ${past.winners} winners each`);
  const { house, databaseUrl, close } = await openStore(postgres, 'rain');
  await house.stock(['now'], WINNERS);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(pastOf(past));
  } finally {
    await client.end();
  }
  return {
    close,
    list: () => listRains(house.context, LISTED),
    async audit() {
      const { accounts } = await house.context.ledger.accountFaults('now');
      if (accounts.length > 0) throw new Error(`the audit finds a difference: ${accounts[0]!.accountId}`);
    },
  };
}

/** Rains as the ledger would have them after their settlement, an hour ago; and the one of now, in which all have won. */
const pastOf = ({ rains, winners }: Past) => `
  SET session_replication_role = replica;
  INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt", "createdAt", "settledAt", "credited")
    SELECT 'past' || n, 't', ${winners}, ${winners}, '{}', 's', now(), now() + interval '1 s', now() - interval '1 h' + n * interval '1 ms', now(), ${winners} FROM generate_series(1, ${rains}) AS n;
  INSERT INTO "Account" ("id", "kind") SELECT 'rain:past' || n, 'rain' FROM generate_series(1, ${rains}) AS n;
  INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId", "postedAt")
    SELECT 'credit:past' || n || '-' || who, 'credit', 'rain:past' || n, 'user:u' || who, 1, 'past' || n, 'past' || n || '-' || who, 'u' || who, now() - interval '1 h'
    FROM generate_series(1, ${rains}) AS n, generate_series(1, ${winners}) AS who;
  INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
    SELECT 'credit:now-' || who, 'credit', 'rain:now', 'user:u' || who, 10, 'now', 'now-' || who, 'u' || who FROM generate_series(1, ${WINNERS}) AS who;
  INSERT INTO "Account" ("id", "kind", "balanceCents") SELECT 'user:u' || who, 'user', ${rains} + 10 FROM generate_series(1, ${WINNERS}) AS who;
  UPDATE "Account" SET "balanceCents" = 0 WHERE "id" = 'rain:now';
  ANALYZE`;

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
