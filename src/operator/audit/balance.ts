import { redPacketId } from '../../rain/red-packet.ts';
import type { Equation, Share } from '../../rain/equation.ts';
import { formatMoney } from '../../rain/money.ts';
import { lostClaimId, describeLostClaim, type LostFromLog } from './findings.ts';
import type { PacketPaths } from './packetPaths.ts';

const none = (): Share => ({ count: 0, cents: 0n });

function add(share: Share, cents: bigint): void {
  share.count++;
  share.cents += cents;
}

/** Assigns every allocated packet to exactly one term. @returns `problems`: what has no known cause */
export function balanceOf(rainId: string, budgetCents: bigint, amounts: BigInt64Array, paths: PacketPaths) {
  const { booked, logged, expired, tampering } = paths;
  const problems: string[] = [];
  const lostFromLog: LostFromLog[] = [];
  const [credited, pending, unclaimed, discarded, spoiled] = [none(), none(), none(), none(), none()];
  const matched = { credits: 0, discards: 0 };
  const noteUnallocated = (what: string, count: number) => {
    if (count > 0) tampering.note('ledger', `${what}=${count}`, `${what} of packets that were never allocated: ${count}`);
  };
  for (let index = 0; index < amounts.length; index++) {
    const id = redPacketId(rainId, index);
    const cents = amounts[index]!;
    const claim = logged.claims.get(id);
    const credit = booked.credits.get(id);
    const returned = booked.discards.get(id);
    if (claim) {
      const wasListed = claim.at < paths.listedAt && paths.isListed(id);
      // restore.lua does not look for a packet in the depth of a long list.
      if (wasListed && logged.restored.has(id)) problems.push(`${id} was restored for ${claim.userId} after a failover, and is still in the list: another user may be told it`);
      else if (wasListed) tampering.note('two_places', id, `${id} is in the claim log for ${claim.userId}, and still in the list`);
    }
    if (credit) {
      matched.credits++;
      add(credited, credit.cents);
      if (credit.cents !== cents) tampering.note('ledger', id, `${id} was credited ${formatMoney(credit.cents)} and allocated as ${formatMoney(cents)}`);
      if (!claim && !logged.named.has(id) && !expired) {
        const lost = { redPacketId: id, amountCents: credit.cents, userId: credit.userId };
        if (!booked.acknowledged.has(lostClaimId(id))) {
          lostFromLog.push(lost);
          problems.push(describeLostClaim(lost));
        }
      }
    } else if (returned !== undefined) {
      matched.discards++;
      add(discarded, returned);
      if (returned !== cents) tampering.note('ledger', id, `${id} was discarded with ${formatMoney(returned)} and allocated as ${formatMoney(cents)}`);
    } else if (claim) add(pending, claim.cents);
    else if (paths.unclaimed(id, index)) add(unclaimed, cents);
    else add(spoiled, cents);
  }
  noteUnallocated('credits', booked.credits.size - matched.credits);
  noteUnallocated('discards', booked.discards.size - matched.discards);
  if (!expired && spoiled.count > paths.spoiled + logged.unread) {
    tampering.note('packet_missing', String(spoiled.count), `packets neither won nor left: ${spoiled.count}, of which set aside as spoiled: ${paths.spoiled}`);
  }
  const recycled = subtractRecycled(booked.recycledCents, discarded, unclaimed, spoiled);
  const budget = { count: amounts.length, cents: budgetCents };
  const equation: Equation = { budget, credited, pending, unclaimed, recycled, spoiled };
  return { equation, discarded, lostFromLog, problems: problems.concat(paths.problems) };
}

/** Money that went back is no longer unclaimed or spoiled. If the amounts differ, the rest stays visible as unclaimed. */
function subtractRecycled(recycledCents: bigint, discarded: Share, unclaimed: Share, spoiled: Share): Share {
  const recycled = { count: discarded.count, cents: discarded.cents + recycledCents };
  if (recycledCents === unclaimed.cents + spoiled.cents) {
    recycled.count += unclaimed.count + spoiled.count;
    unclaimed.count = spoiled.count = 0;
    unclaimed.cents = spoiled.cents = 0n;
  } else unclaimed.cents -= recycledCents;
  return recycled;
}
