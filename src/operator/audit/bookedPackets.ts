import type { Share } from '../../rain/equation.ts';
import { formatMoney } from '../../rain/money.ts';
import type { OperatorContext } from '../context.ts';
import { creditPages, readReturned, type Returned } from './booked.ts';
import type { BookedPlan } from './bookedPlan.ts';
import { createPacketUsers, type PacketUsers } from './packetMarks.ts';
import type { TamperingList } from './tampering.ts';
import type { UserDigest } from './userDigest.ts';

/**
 * The ledger's entries about a rain's packets, in a few bytes for each credit: see `Booked` for the same with all
 * users.
 */
export interface BookedPackets extends Returned {
  /** The user credited with each packet that the plan holds. */
  credited: PacketUsers;
  /** All credits of such packets. */
  creditedShare: Share;
  /** Credits of packets that were never allocated. */
  unallocated: number;
}

/** A packet is credited or discarded, never both. One that changes during this read may count as not yet credited. */
export async function readBookedPackets(
  context: OperatorContext,
  plan: BookedPlan,
  digestOf: UserDigest,
  tampering: TamperingList,
): Promise<BookedPackets> {
  const rainId = plan.rain().id;
  const credited = createPacketUsers(digestOf);
  const creditedShare: Share = { count: 0, cents: 0n };
  let unallocated = 0;
  for await (const page of creditPages(context, rainId)) {
    await plan.include(page.map(({ redPacketId }) => redPacketId));
    for (const { redPacketId: id, userId, amountCents } of page) {
      const index = plan.allocatedIndexOf(id);
      if (index === undefined) {
        unallocated++;
        continue;
      }
      credited.set(index, userId);
      creditedShare.count++;
      creditedShare.cents += amountCents;
      const cents = plan.amounts()[index]!;
      if (amountCents !== cents)
        tampering.note(
          'ledger',
          id,
          `${id} was credited ${formatMoney(amountCents)} and allocated as ${formatMoney(cents)}`,
        );
    }
  }
  return { credited, creditedShare, unallocated, ...(await readReturned(context, rainId)) };
}
