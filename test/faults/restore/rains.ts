import { formatMoney } from '../../../src/rain/money.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { eventually } from '../../support/eventually.ts';
import type { Deployment } from '../deployment.ts';
import { HonestUsers } from '../users/honestUsers.ts';
import { createAndLoad } from '../users/rainfall.ts';

/** A rain of a drill, and what its users were told. */
export interface DrillRain {
  stage: string;
  rainId: string;
  users: HonestUsers;
}

const PACKETS = 40;
const WINDOW_MS = 600_000;
const SETTLED_WITHIN_MS = 40_000;

/** Creates a rain that is open, and lets its first users win. */
export async function openRain(deployment: Deployment, rainId: string, stage: string, winners = 6): Promise<DrillRain> {
  const opensAt = (await redisNow(deployment.context.redis)) - 1_000;
  await createAndLoad(deployment.context, {
    id: rainId,
    plan: { budget: '100.00', packets: PACKETS, split: { method: 'double-mean' } },
    opensAt,
    closesAt: opensAt + WINDOW_MS,
    shards: 1,
  });
  const rain = { stage, rainId, users: new HonestUsers(deployment.gatewayUrls[0]!, rainId) };
  if (winners > 0) await grab(rain, 'first', winners);
  return rain;
}

export function grab({ rainId, users }: DrillRain, group: string, count: number, forMs?: number): Promise<void> {
  return users.grab(
    Array.from({ length: count }, (_, i) => `${rainId}-${group}-${i}`),
    forMs,
  );
}

/** Until the ledger has all claims that were told. */
export async function untilCredited({ context }: Deployment, { rainId, users }: DrillRain): Promise<void> {
  await eventually(async () => (await context.ledger.book(rainId))!.credited.count >= users.told.size, {
    timeoutMs: SETTLED_WITHIN_MS,
  });
}

/** Whether the ledger has paid the user exactly this packet. */
export async function isCredited(
  { ledger }: Deployment['context'],
  rainId: string,
  userId: string,
  told: { redPacketId: string; amount: string },
): Promise<boolean> {
  const credit = await ledger.creditOf(rainId, userId);
  return credit?.redPacketId === told.redPacketId && formatMoney(credit.amountCents) === told.amount;
}

/** Ends the rain early and waits for its settlement. */
export async function endAndSettle({ context, rain }: Deployment, { rainId }: DrillRain): Promise<void> {
  await rain('close', rainId);
  await eventually(async () => (await context.ledger.rain(rainId))?.settledAt !== undefined, {
    timeoutMs: SETTLED_WITHIN_MS,
  });
}
