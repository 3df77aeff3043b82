import type { BookedCredit } from '../../ledger/book.ts';
import type { Claim } from '../../rain/claim.ts';
import { formatMoney } from '../../rain/money.ts';
import type { OperatorContext } from '../context.ts';

const PAGE = 1_000;

/**
 * The ledger's credits as claims. When they were won is unknown; the time of the posting is the nearest that is known.
 */
export async function bookedClaims(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  rainId: string,
  credits: readonly BookedCredit[],
): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (let at = 0; at < credits.length; at += PAGE) {
    const page = credits.slice(at, at + PAGE);
    const postedAt = new Map(
      (await ledger.postings(page.map(({ redPacketId }) => redPacketId))).map((posting) => [
        posting.redPacketId,
        posting.postedAt,
      ]),
    );
    claims.push(
      ...page.map(({ redPacketId, userId, amountCents }): Claim => ({
        rainId,
        redPacketId,
        amount: formatMoney(amountCents),
        userId,
        at: String(postedAt.get(redPacketId) ?? 0).padStart(13, '0'),
      })),
    );
  }
  return claims;
}
