import type { BookedCredit } from '../../ledger/book.ts';
import { redPacketId } from '../../rain/red-packet.ts';
import type { Equation, Share } from '../../rain/equation.ts';
import { formatMoney } from '../../rain/money.ts';
import { lostClaimId, describeLostClaim, type LostFromLog } from './findings.ts';
import type { BookedPlan } from './bookedPlan.ts';
import { createPacketMarks } from './packetMarks.ts';
import type { PacketPaths } from './packetPaths.ts';

const none = (): Share => ({ count: 0, cents: 0n });

function add(share: Share, cents: bigint): void {
  share.count++;
  share.cents += cents;
}

/** Credits looked up in one query. */
const LOOKED_UP = 5_000;

/**
 * Assigns every allocated packet to exactly one term.
 * @param creditsTo reads the credits of these packets from the ledger
 * @returns `problems`: what has no known cause
 */
export async function balanceOf(
  plan: BookedPlan,
  paths: PacketPaths,
  creditsTo: (redPacketIds: string[]) => Promise<BookedCredit[]>,
) {
  const { booked, logged, expired, tampering } = paths;
  const { id: rainId, budgetCents } = plan.rain();
  const amounts = plan.amounts();
  const problems: string[] = [];
  const [pending, unclaimed, discarded, spoiled] = [none(), none(), none(), none()];
  for (const [, { redPacketId: id, userId }] of logged.listed) {
    // restore.lua does not look for a packet in the depth of a long list.
    if (logged.restored.has(id))
      problems.push(
        `${id} was restored for ${userId} after a failover, and is still in the list: another user may be told it`,
      );
    else tampering.note('two_places', id, `${id} is in the claim log for ${userId}, and still in the list`);
  }
  const returned = createPacketMarks();
  for (const [id, cents] of booked.discards) {
    const index = plan.allocatedIndexOf(id);
    if (index === undefined || booked.credited.has(index)) continue;
    returned.add(index);
    add(discarded, cents);
    if (cents !== amounts[index])
      tampering.note(
        'ledger',
        id,
        `${id} was discarded with ${formatMoney(cents)} and allocated as ${formatMoney(amounts[index]!)}`,
      );
  }
  const lost: string[] = [];
  for (let index = 0; index < amounts.length; index++) {
    if (booked.credited.has(index)) {
      if (!logged.claims.has(index) && !logged.named.has(index) && !expired) lost.push(redPacketId(rainId, index));
    } else if (returned.has(index)) continue;
    else if (logged.claims.has(index)) add(pending, amounts[index]!);
    else if (paths.unclaimed(index)) add(unclaimed, amounts[index]!);
    else add(spoiled, amounts[index]!);
  }
  const lostFromLog = await lookUp(
    lost.filter((id) => !booked.acknowledged.has(lostClaimId(id))),
    creditsTo,
  );
  const noteUnallocated = (what: string, count: number) => {
    if (count > 0)
      tampering.note('ledger', `${what}=${count}`, `${what} of packets that were never allocated: ${count}`);
  };
  noteUnallocated('credits', booked.unallocated);
  noteUnallocated('discards', booked.discards.size - discarded.count);
  if (!expired && spoiled.count > paths.spoiled + logged.unread) {
    tampering.note(
      'packet_missing',
      String(spoiled.count),
      `packets neither won nor left: ${spoiled.count}, of which set aside as spoiled: ${paths.spoiled}`,
    );
  }
  const recycled = subtractRecycled(booked.recycledCents, discarded, unclaimed, spoiled);
  const budget = { count: amounts.length, cents: budgetCents };
  const equation: Equation = { budget, credited: booked.creditedShare, pending, unclaimed, recycled, spoiled };
  return {
    equation,
    discarded,
    lostFromLog,
    problems: problems.concat(lostFromLog.map(describeLostClaim), paths.problems),
  };
}

/** The credits of these packets, in their order. */
async function lookUp(
  redPacketIds: readonly string[],
  creditsTo: (redPacketIds: string[]) => Promise<BookedCredit[]>,
): Promise<LostFromLog[]> {
  const found: LostFromLog[] = [];
  for (let at = 0; at < redPacketIds.length; at += LOOKED_UP) {
    const ids = redPacketIds.slice(at, at + LOOKED_UP);
    const credits = new Map((await creditsTo(ids)).map((credit) => [credit.redPacketId, credit]));
    for (const id of ids) if (credits.has(id)) found.push(credits.get(id)!);
  }
  return found;
}

/**
 * Money that went back is no longer unclaimed or spoiled. If the amounts differ, the rest stays visible as unclaimed.
 */
function subtractRecycled(recycledCents: bigint, discarded: Share, unclaimed: Share, spoiled: Share): Share {
  const recycled = { count: discarded.count, cents: discarded.cents + recycledCents };
  if (recycledCents === unclaimed.cents + spoiled.cents) {
    recycled.count += unclaimed.count + spoiled.count;
    unclaimed.count = spoiled.count = 0;
    unclaimed.cents = spoiled.cents = 0n;
  } else unclaimed.cents -= recycledCents;
  return recycled;
}
