import { atCreation, type BookedRain } from '../../ledger/rains.ts';
import type { Cents } from '../../rain/money.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import { breaksCommitment, recordedCommitment } from '../../ledger/commitment.ts';
import type { OperatorContext } from '../context.ts';
import { allocationOf } from '../../ledger/allocation.ts';
import { recordedWindows, type Opening } from './windows.ts';

/** The ledger's promises about a rain. It grows with each top-up. */
export type BookedPlan = Awaited<ReturnType<typeof readPlan>>;

export async function readPlan(context: OperatorContext, found: BookedRain) {
  let rain = found;
  let amounts = allocationOf(rain);
  const commitment = await recordedCommitment(context, rain.id);

  /** Reads the ledger again: what is in Redis now was in the ledger before. */
  async function refresh(): Promise<void> {
    rain = (await context.ledger.rain(rain.id)) ?? rain;
    if (rain.packets !== amounts.length) amounts = allocationOf(rain);
  }

  const indexOf = (id: string) => redPacketIndex(rain.id, id);
  return {
    refresh,
    rain: () => rain,
    amounts: () => amounts,
    commitment,
    isBroken: () => breaksCommitment(rain, commitment),
    /** The number of packets at the creation and after each top-up. */
    totals(): number[] {
      const totals = [atCreation(rain).packets];
      for (const { packets } of rain.topUps) totals.push(totals.at(-1)! + packets);
      return totals;
    },
    /** All windows that this rain has had, the present one first. */
    windows: async (): Promise<Opening[]> => recordedWindows(rain, await context.ledger.actions(rain.id)),
    /** `undefined`: not a packet of this rain. */
    amountOf: (id: string): Cents | undefined => amounts[indexOf(id) ?? -1],
    /** Where the facts about a packet are kept; `undefined`: not an allocated packet of this rain. */
    allocatedIndexOf(id: string): number | undefined {
      const index = indexOf(id);
      return index !== undefined && index < amounts.length ? index : undefined;
    },
    /** Reads the ledger again if one of these packets may be of a top-up that is not known here yet. */
    async include(ids: readonly string[]): Promise<void> {
      if (ids.some((id) => (indexOf(id) ?? -1) >= amounts.length)) await refresh();
    },
  };
}
