import { claimIdOf, packetPartOf, type ClaimIdForm } from '../../credit/claimId.ts';
import type { BookedCredit } from '../../ledger/book.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BookedPayout } from '../../ledger/payouts.ts';
import { formatMoney } from '../../rain/money.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import type { Difference, Totals } from './difference.ts';
import type { StatementRow } from './statement.ts';

/** Rows compared with one query [R10]. */
const PAGE = 1_000;

type Book = Pick<Ledger, 'payouts' | 'credits'>;
interface Compared { rainId: string; idForm: ClaimIdForm }

/**
 * Compares a statement with the book's credits of one rain, by claim id: first every payment, in the order of the statement, then the
 * credits that it does not have. In memory are one page and the number of each packet that was found.
 * @param totals counts what was compared
 */
export async function* differencesOf(book: Book, { rainId, idForm }: Compared, rows: AsyncIterable<StatementRow>, totals: Totals): AsyncGenerator<Difference, void> {
  const paid = new Set<number>();
  for await (const page of pagesOf(rows)) {
    const ofThisRain = page.filter(({ id }) => redPacketIndex(rainId, packetPartOf(id)) !== undefined);
    totals.others += page.length - ofThisRain.length;
    const known = new Map((await book.payouts(rainId, [...new Set(ofThisRain.map(({ id }) => packetPartOf(id)))])).map((payout) => [payout.redPacketId, payout]));
    for (const row of ofThisRain) {
      const packet = packetPartOf(row.id);
      const payout = known.get(packet);
      totals.paidCents += row.amountCents;
      const difference = compare(row, payout && { ...payout, id: claimId(idForm, payout) }, paid, redPacketIndex(rainId, packet)!);
      totals.counts[difference?.result ?? 'both']++;
      if (difference) yield { id: row.id, redPacketId: packet, ...userOf(payout), paid: formatMoney(row.amountCents), time: row.time, line: row.line, ...difference };
    }
  }
  for (let afterUserId: string | undefined, page: BookedCredit[] = []; ; afterUserId = page.at(-1)!.userId) {
    page = await book.credits(rainId, afterUserId, PAGE);
    for (const credit of page) {
      totals.bookedCents += credit.amountCents;
      if (paid.has(redPacketIndex(rainId, credit.redPacketId) ?? -1)) continue;
      totals.counts.book_only++;
      const { redPacketId, userId, amountCents } = credit;
      yield { result: 'book_only', id: claimId(idForm, credit), redPacketId, userId, booked: formatMoney(amountCents), detail: 'credited, and not in the statement' };
    }
    if (page.length < PAGE) return;
  }
}

/** @param paid numbers of the packets whose credit was found in the statement before; this one is added */
function compare(row: StatementRow, payout: (BookedPayout & { id: string }) | undefined, paid: Set<number>, index: number): (Pick<Difference, 'result' | 'detail'> & { booked?: string }) | undefined {
  if (!payout) return { result: 'wallet_only', detail: 'no wallet was ever asked to pay this packet' };
  if (payout.id !== row.id) return { result: 'wallet_only', detail: `the book has this packet under the id ${payout.id}` };
  if (!payout.credited) return { result: 'wallet_only', detail: 'asked, and not credited yet: see its dead letter, or wait for the queue' };
  const booked = formatMoney(payout.amountCents);
  if (paid.has(index)) return { result: 'paid_twice', booked, detail: 'this id stands in the statement before' };
  paid.add(index);
  if (row.userId !== undefined && row.userId !== payout.userId) return { result: 'user_differs', booked, detail: `paid to ${row.userId}` };
  return row.amountCents === payout.amountCents ? undefined : { result: 'amount_differs', booked, detail: 'the book has another amount' };
}

function claimId(idForm: ClaimIdForm, { redPacketId, userId, amountCents }: BookedCredit): string {
  return claimIdOf(idForm, { redPacketId, userId, amount: formatMoney(amountCents) });
}

function userOf(payout: BookedPayout | undefined): Pick<Difference, 'userId'> {
  return payout ? { userId: payout.userId } : {};
}

async function* pagesOf(rows: AsyncIterable<StatementRow>): AsyncGenerator<StatementRow[], void> {
  let page: StatementRow[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
