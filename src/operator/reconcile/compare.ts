import { claimIdOf, packetPartOf, type ClaimIdForm } from '../../credit/claimId.ts';
import type { BookedCredit } from '../../ledger/book.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BookedPayout } from '../../ledger/payouts.ts';
import { formatMoney } from '../../rain/money.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import { createPacketMarks, type PacketMarks } from '../audit/packetMarks.ts';
import type { Difference, Totals } from './difference.ts';
import type { StatementRow } from './statement.ts';

/** Rows compared with one query [R10]. */
const PAGE = 1_000;

type Book = Pick<Ledger, 'payouts' | 'credits'>;
interface Compared {
  rainId: string;
  idForm: ClaimIdForm;
}

/**
 * Compares a statement with the book's credits of one rain, by claim id: first every payment, in the order of the
 * statement, then the credits that it does not have. In memory are one page, and one bit for each packet that was
 * found.
 * @param totals counts what was compared
 */
export async function* differencesOf(
  book: Book,
  { rainId, idForm }: Compared,
  rows: AsyncIterable<StatementRow>,
  totals: Totals,
): AsyncGenerator<Difference, void> {
  const found = createPacketMarks();
  for await (const page of pagesOf(rows)) {
    const ofThisRain = page.filter(({ id }) => redPacketIndex(rainId, packetPartOf(id)) !== undefined);
    totals.others += page.length - ofThisRain.length;
    const known = new Map(
      (await book.payouts(rainId, [...new Set(ofThisRain.map(({ id }) => packetPartOf(id)))])).map((payout) => [
        payout.redPacketId,
        payout,
      ]),
    );
    for (const row of ofThisRain) {
      const packet = packetPartOf(row.id);
      const payout = known.get(packet);
      totals.paidCents += row.amountCents;
      const difference = compare(
        row,
        payout && { ...payout, id: claimId(idForm, payout) },
        found,
        redPacketIndex(rainId, packet)!,
      );
      totals.counts[difference?.result ?? 'both']++;
      if (difference)
        yield {
          id: row.id,
          redPacketId: packet,
          ...userOf(payout),
          paid: formatMoney(row.amountCents),
          time: row.time,
          line: row.line,
          ...difference,
        };
    }
  }
  for (let afterUserId: string | undefined, page: BookedCredit[] = []; ; afterUserId = page.at(-1)!.userId) {
    page = await book.credits(rainId, afterUserId, PAGE);
    for (const credit of page) {
      totals.bookedCents += credit.amountCents;
      if (found.has(redPacketIndex(rainId, credit.redPacketId) ?? -1)) continue;
      totals.counts.book_only++;
      const { redPacketId, userId, amountCents } = credit;
      yield {
        result: 'book_only',
        id: claimId(idForm, credit),
        redPacketId,
        userId,
        booked: formatMoney(amountCents),
        detail: 'credited, and not in the statement',
      };
    }
    if (page.length < PAGE) return;
  }
}

/** @param found the packets whose credit was found in the statement before; this one is added */
function compare(
  row: StatementRow,
  payout: (BookedPayout & { id: string }) | undefined,
  found: PacketMarks,
  index: number,
): (Pick<Difference, 'result' | 'detail'> & { booked?: string }) | undefined {
  const paidTo = row.userId !== undefined && row.userId !== payout?.userId ? `paid to ${row.userId}` : undefined;
  const differing = (result: Difference['result'], ...details: readonly (string | undefined)[]) => ({
    result,
    ...(payout?.state === 'credited' && payout.id === row.id && { booked: formatMoney(payout.amountCents) }),
    detail: details.filter((detail) => detail !== undefined).join('; '),
  });
  if (!payout) return differing('wallet_only', 'by the book no wallet was asked to pay this packet', paidTo);
  if (payout.id !== row.id)
    return differing('wallet_only', `the book has this packet under the id ${payout.id}`, paidTo);
  const asked = row.amountCents === payout.amountCents ? undefined : `asked to pay ${formatMoney(payout.amountCents)}`;
  const twice = found.has(index);
  found.add(index);
  if (twice)
    return differing(
      'paid_twice',
      'this id stands in the statement before',
      payout.state === 'credited' ? undefined : NOT_CREDITED[payout.state],
      paidTo,
    );
  if (payout.state !== 'credited') return differing('wallet_only', NOT_CREDITED[payout.state], asked, paidTo);
  if (paidTo) return differing('user_differs', paidTo);
  return asked ? differing('amount_differs', 'the book has another amount') : undefined;
}

const NOT_CREDITED = {
  asked: 'asked, and not credited yet: see its dead letter, or wait for the queue',
  discarded: 'asked, and discarded by an operator as not paid: its money went back',
} as const satisfies Record<Exclude<BookedPayout['state'], 'credited'>, string>;

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
