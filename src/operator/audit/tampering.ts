/** Changes that only a hand in Redis or in the database can have made, and no crash, failover or restore. */
const TAMPERING_KINDS = [
  'state_gone',
  'rain_id',
  'window',
  'planned',
  'loaded',
  'top_ups',
  'terms',
  'commitment',
  'book',
  'ledger',
  'shards',
  'false_move',
  'false_packet',
  'packet_twice',
  'packet_missing',
  'false_claim',
  'claim_time',
  'claimed_missing',
  'claimed_differs',
  'claimed_unlogged',
  'two_places',
] as const;
export type TamperingKind = (typeof TAMPERING_KINDS)[number];

/** One lie in the data of a rain, or of a sale. */
export interface Tampering<Kind extends string = TamperingKind> {
  kind: Kind;
  /** The subject of the finding; kind and subject together name one finding of a rain or sale. */
  subject: string;
  sentence: string;
}

/** Findings kept of each kind; of the others only their number is reported [R10]. */
const KEPT_MAX = 10_000;

/** Longer texts of Redis are cut, UTF-16 units [R10]. */
const TEXT_MAX = 1_000;

/** PostgreSQL cannot store NUL or half of a surrogate pair, and what a thief wrote may contain them. */
export function storable(text: string): string {
  return Buffer.from(text.slice(0, TEXT_MAX).replaceAll('\0', '\\u0000')).toString();
}

export type TamperingList = ReturnType<typeof createTamperingList>;

export function createTamperingList() {
  const found = new Map<TamperingKind, { kept: Tampering[]; count: number }>();
  return {
    note(kind: TamperingKind, subject: string, sentence: string): void {
      const list = found.get(kind) ?? { kept: [], count: 0 };
      if (list.count++ < KEPT_MAX) list.kept.push({ kind, subject: storable(subject), sentence: storable(sentence) });
      found.set(kind, list);
    },
    /** In the order of the kinds. */
    all(): Tampering[] {
      return TAMPERING_KINDS.flatMap((kind) => {
        const { kept = [], count = 0 } = found.get(kind) ?? {};
        const more = count - kept.length;
        return more > 0
          ? [...kept, { kind, subject: `${more} more`, sentence: `and ${more} more findings of the kind ${kind}` }]
          : kept;
      });
    },
  };
}

/** The number of findings of each kind that there are. */
export function countKinds(findings: readonly Tampering<string>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Names a finding within its rain or sale. */
export function tamperingKey({ kind, subject }: Tampering<string>): string {
  return `${kind}:${subject}`;
}

/** The letter id under which the operator acknowledges a finding; ids of real dead letters never contain a colon. */
export function acknowledgedId(rainId: string, finding: Tampering): string {
  return `tampering:${rainId}:${tamperingKey(finding)}`;
}
