import { storable, type Tampering } from '../../audit/tampering.ts';

/**
 * Changes that only a hand in Redis or in the database can have made: Redis writes each purchase and each change in one
 * step, so no crash, failover or restore leaves a part of one, and the database moves the stock itself.
 */
type SaleTamperingKind =
  | 'state'
  | 'window'
  | 'top_ups'
  | 'terms'
  | 'units'
  | 'counts'
  | 'made'
  | 'log'
  | 'false_reservation'
  | 'not_signed'
  | 'reservation_time'
  | 'unlogged'
  | 'held'
  | 'type'
  | 'status'
  | 'limit'
  | 'ledger';
export type SaleTampering = Tampering<SaleTamperingKind>;

/** Findings kept of one audit; the others are counted [R10]. */
const KEPT_MAX = 1_000;
/** Texts of Redis are cut, UTF-16 units: what a thief wrote may be of any length [R10]. */
const TEXT_MAX = 200;

/**
 * The contradictions of a sale, one sentence each. A finding is the same as one of another look when its key is the
 * same.
 * @param isAcknowledged a finding that the operator has acknowledged is none any more
 */
export function createFindings(isAcknowledged: (finding: SaleTampering) => boolean = () => false) {
  const kept = new Map<string, { sentence: string; kind: SaleTamperingKind | undefined }>();
  let more = 0;
  /** @param seen keys of an earlier look; only findings of both are told */
  const told = (seen?: ReadonlySet<string>) => [...kept].filter(([key]) => seen?.has(key) ?? true);
  return {
    /** @param kind absent: a failover or a restore may have caused it, too */
    note(key: string, sentence: string, kind?: SaleTamperingKind): 'noted' | 'explained' {
      if (kind !== undefined && isAcknowledged(tamperingOf(key, sentence, kind))) return 'explained';
      if (kept.size < KEPT_MAX) kept.set(key, { sentence, kind });
      else more++;
      return 'noted';
    },
    keys: (): ReadonlySet<string> => new Set(kept.keys()),
    sentences(seen?: ReadonlySet<string>): string[] {
      const sentences = told(seen).map(([, { sentence }]) => sentence);
      return more > 0 ? [...sentences, `and ${more} more findings`] : sentences;
    },
    tampering: (seen?: ReadonlySet<string>): SaleTampering[] =>
      told(seen).flatMap(([key, { sentence, kind }]) => (kind === undefined ? [] : [tamperingOf(key, sentence, kind)])),
  };
}
export type SaleFindings = ReturnType<typeof createFindings>;

function tamperingOf(key: string, sentence: string, kind: SaleTamperingKind): SaleTampering {
  return { kind, subject: storable(key), sentence: storable(sentence) };
}

/** A text of Redis as a sentence may hold it. */
export function quoted(text: string | undefined): string {
  return text === undefined ? 'nothing' : JSON.stringify(text.slice(0, TEXT_MAX));
}
