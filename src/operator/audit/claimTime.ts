import { iso } from '../../rain/figures.ts';
import type { Claim } from '../../rain/claim.ts';
import type { TamperingList } from './tampering.ts';
import { CLOCK_TOLERANCE_MS, isWithin, type Opening } from './windows.ts';

/** @param now Redis's clock after the claim was read, epoch ms */
export function checkClaimTime(
  { redPacketId, userId, at }: Claim,
  now: number,
  windows: readonly Opening[],
  tampering: TamperingList,
): void {
  const wonAt = Number(at);
  const fault =
    wonAt > now + CLOCK_TOLERANCE_MS
      ? 'is in the future'
      : isWithin(wonAt, windows)
        ? undefined
        : 'is outside of the window';
  if (fault)
    tampering.note('claim_time', redPacketId, `${redPacketId} was won by ${userId} at ${iso(wonAt)}, which ${fault}`);
}
