import { createHash } from 'node:crypto';
import type { BookedDiscard } from '../../../ledger/discard.ts';
import { orderLetterId } from '../../../orders/deadLetter.ts';
import type { LoggedReservation } from '../../../store/reservationLog.ts';
import { tamperingKey } from '../../audit/tampering.ts';
import { discardPages } from '../../audit/booked.ts';
import type { OperatorContext } from '../../context.ts';
import type { SaleTampering } from './findings.ts';

/** Whether the operator has discarded the letter of this entry of the reservation log. */
export type IsDiscarded = (entry: Pick<LoggedReservation, 'index' | 'entry'>) => boolean;

interface Explained {
  isDiscarded: IsDiscarded;
  isAcknowledged: (finding: SaleTampering) => boolean;
  /** The first of them. */
  list: BookedDiscard[];
}

const LISTED_MAX = 100;

/**
 * The operator's explanations in a sale: letters of its log that were discarded, and findings that were acknowledged.
 */
export async function readExplained(context: Pick<OperatorContext, 'ledger'>, saleId: string): Promise<Explained> {
  const ids = new Set<string>();
  const list: BookedDiscard[] = [];
  for await (const page of discardPages(context, saleId)) {
    for (const { letterId } of page) ids.add(letterId);
    list.push(...page.slice(0, LISTED_MAX - list.length));
  }
  return {
    list,
    isDiscarded: ({ index, entry }) => ids.size > 0 && ids.has(orderLetterId({ saleId, index, entry })),
    isAcknowledged: (finding) => ids.size > 0 && ids.has(acknowledgedSaleId(saleId, finding)),
  };
}

/**
 * The letter id under which a finding is acknowledged; ids of real dead letters never contain a colon. With what was
 * found: another lie about the same field is another finding. As a hash: a thief chooses how long it is.
 */
export function acknowledgedSaleId(saleId: string, finding: SaleTampering): string {
  return `tampering:${saleId}:${createHash('sha256')
    .update(`${tamperingKey(finding)}\n${finding.sentence}`)
    .digest('hex')
    .slice(0, 32)}`;
}
