/**
 * Facts that only one of the two stores knows, and the way out, for a rain or sale with this id. `counts`: false for what
 * nobody can bring into agreement; it is listed for the operator, and does not make the check fail.
 */
export const DIFFERENCES = {
  not_in_book: {
    counts: true,
    wayOut: (id: string) =>
      `check DATABASE_URL; if it is right, bring back a later state of PostgreSQL: seed and money of this rain are nowhere else; until then rain restore apply ${id} keeps it paused; if there is none: rain write-off ${id} --reason "…" lists its winners and ends it`,
  },
  missing: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  older_labels: {
    counts: true,
    wayOut: () => 'start gateways and workers of the older version until the rain is settled',
  },
  state_missing: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  not_loaded: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  half_restored: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  not_in_index: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  window_not_in_redis: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  window_not_in_book: {
    counts: true,
    wayOut: (id: string) =>
      `if you had moved or started it since the backup of PostgreSQL (ask your colleagues): rain restore apply ${id} --reason "…"; if not, Redis was changed: rain pause ${id}, and see RainTampering in the runbook`,
  },
  top_up_not_in_redis: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  top_up_not_in_book: {
    counts: true,
    wayOut: (id: string) =>
      `bring back a later state of PostgreSQL: the seed of the top-up is nowhere else; until then rain restore apply ${id} keeps the rain paused; if there is none: rain write-off ${id} --reason "…" takes it off and lists its winners`,
  },
  credit_not_in_log: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  credited_packet_in_list: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  claim_not_in_book: {
    counts: true,
    wayOut: (id: string) =>
      `rain restore apply ${id} sends them again if the ledger knows the rain; the workers credit them then, so look again after a moment`,
  },
  claim_dead: { counts: true, wayOut: (id: string) => `rain dead list --rain ${id}` },
  settled_in_book: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  settled_in_redis: {
    counts: true,
    wayOut: (id: string) =>
      `nothing while a worker runs: it credits the claims and settles the rain again; if none runs yet, rain restore apply ${id} keeps the keys of the rain`,
  },
  winners_unknown: {
    counts: true,
    wayOut: (id: string) => `rain restore import ${id} --winners winners.csv, then rain write-off ${id} --reason "…"`,
  },
  told: { counts: true, wayOut: (id: string) => `rain restore apply ${id} --reason "…"` },
  written_off: {
    counts: false,
    wayOut: () =>
      'nothing: it was given up, and its keys expire after thirty days; should a later state of PostgreSQL come back, its workers pay the winners, so tell whoever pays them by hand',
  },
  unpayable: { counts: false, wayOut: () => 'pay it by hand, if you have not: the ledger has no money for it' },
  told_of_lost_rain: {
    counts: false,
    wayOut: () =>
      'the receipt is genuine, and no store knows the rain: bring back a later state of PostgreSQL, or compensate the user',
  },
  told_contested: { counts: false, wayOut: () => 'compensate the user: the rain cannot pay it' },
  paid: { counts: true, wayOut: (id: string) => `rain restore import ${id} --winners wallet.csv, the statement` },
  paid_not_in_book: {
    counts: true,
    wayOut: (id: string) =>
      `wait for the workers, then rain restore apply ${id}; a dead letter: rain dead list --rain ${id}`,
  },
  paid_contested: { counts: true, wayOut: (id: string) => `the rain ${id} cannot pay it: clear it up with the wallet` },
  paid_unverified: {
    counts: true,
    wayOut: (id: string) => `nothing confirms that it is a win of ${id}: clear it up with the wallet`,
  },
  paid_differs: {
    counts: true,
    wayOut: (id: string) => `clear it up with the wallet; see rain reconcile ${id} --statement wallet.csv`,
  },
  paid_of_lost_rain: {
    counts: true,
    wayOut: () =>
      'bring back a later state of PostgreSQL: seed and money of the rain are nowhere else; keep the statement',
  },
  credit_not_paid: {
    counts: true,
    wayOut: (id: string) =>
      `if the statement is complete, the wallet has lost the payment: have it paid there under its claim id, see rain reconcile ${id} --statement wallet.csv`,
  },
  sale_not_in_book: {
    counts: true,
    wayOut: (id: string) =>
      `check DATABASE_URL; if it is right, bring back a later state of PostgreSQL: until then a worker holds the sale, and nothing is sold in it; if there is none, save the list of its orders with rain sale orders ${id} --redis --csv, and end it with rain sale write-off ${id} --reason "no later backup of PostgreSQL"`,
  },
  order_not_in_book: {
    counts: true,
    wayOut: (id: string) =>
      `the workers write them once the ledger knows the sale, so look again after a moment; all of them, to compare with the list of the shop: rain sale orders ${id} --redis --csv`,
  },
  order_ahead_in_redis: {
    counts: true,
    wayOut: (id: string) =>
      `the shop knows: have it report these orders again, all of them: rain sale orders ${id} --redis --csv; if it does not confirm them, Redis gets the status of the ledger with rain sale audit ${id} --repair`,
  },
  sale_missing: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  order_not_in_redis: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  order_behind_in_redis: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  reservation_told: { counts: true, wayOut: (id: string) => `rain restore apply ${id}` },
  sale_written_off: {
    counts: false,
    wayOut: () => 'nothing: it was given up, and its keys expire after thirty days',
  },
  order_written_off: {
    counts: false,
    wayOut: (id: string) =>
      `clear them up with the shop, if you have not; the list: rain sale orders ${id} --redis --csv`,
  },
  told_unverified: { counts: false, wayOut: () => 'it is never paid: the plan does not confirm it' },
} as const satisfies Record<string, { counts: boolean; wayOut: (id: string) => string }>;

export type DifferenceKind = keyof typeof DIFFERENCES;

export interface Difference {
  kind: DifferenceKind;
  sentence: string;
  /** Only of a difference about one order of a sale. */
  orderId?: string;
  /** Only of a difference about one win; the amount is a decimal string. */
  redPacketId?: string;
  userId?: string;
  amount?: string;
}

/** The differences of one rain, or of one sale: then `rainId` is its id, as in the record of actions. */
export interface RainDifferences {
  rainId: string;
  sale: boolean;
  title: string;
  /** By kind, only of kinds that were found. */
  counts: Partial<Record<DifferenceKind, number>>;
  /** The first hundred of each kind. */
  differences: Difference[];
}

const LISTED_MAX = 100;

export function collectDifferences(
  rainId: string,
  title: string,
  sale = false,
): RainDifferences & { add(difference: Difference): void } {
  const found: RainDifferences = { rainId, sale, title, counts: {}, differences: [] };
  return Object.assign(found, {
    add(difference: Difference): void {
      const count = (found.counts[difference.kind] ?? 0) + 1;
      found.counts[difference.kind] = count;
      if (count <= LISTED_MAX) found.differences.push(difference);
    },
  });
}

export function kindsOf({ counts }: RainDifferences): DifferenceKind[] {
  return (Object.keys(DIFFERENCES) as DifferenceKind[]).filter((kind) => counts[kind] !== undefined);
}

/** Whether both stores know the same. */
export function agrees(found: RainDifferences): boolean {
  return kindsOf(found).every((kind) => !DIFFERENCES[kind].counts);
}
