import type { Ledger } from '../ledger/ledger.ts';
import { mask } from '../rain/mask.ts';
import { formatMoney } from '../rain/money.ts';
import { createSlots } from '../runtime/slots.ts';
import { Memory } from './memory.ts';

/** The luckiest of a rain (手气最佳). `final`: the rain is settled, nothing will change. */
export interface Podium {
  rainId: string;
  /** At most three, the highest first; of equal ones the earlier. Names are masked, as in the winners' ticker. */
  luckiest: { user: string; amount: string; redPacketId: string }[];
  final: boolean;
}

const PLACES = 3;
/** How long one reading serves everybody, while it may change and when it cannot, ms. */
const YOUNG_MS = 1_000;
const FINAL_MS = 60_000;
/** Rains remembered, and books looked into at once, whoever asks for whatever [R10]. */
const REMEMBERED_MAX = 1_000;
const READS_AT_ONCE = 2;
const READING_MAX = 200;

/**
 * Reads podiums, each at most once a second however many ask.
 * @returns `undefined` for a rain that the book does not know; rejects when the book cannot be read, or too many wait for it
 */
export function createPodiums(ledger: Pick<Ledger, 'luckiest'>, now?: () => number): (rainId: string) => Promise<Podium | undefined> {
  const read = new Memory<{ podium: Podium | undefined }>(REMEMBERED_MAX, now);
  const reading = new Map<string, Promise<Podium | undefined>>();
  const inSlot = createSlots(READS_AT_ONCE);

  async function look(rainId: string): Promise<Podium | undefined> {
    const found = await inSlot(() => ledger.luckiest(rainId, PLACES));
    const podium = found && {
      rainId, luckiest: found.credits.map(({ userId, amountCents, redPacketId }) => ({ user: mask(userId), amount: formatMoney(amountCents), redPacketId })), final: found.settled,
    };
    read.set(rainId, { podium }, podium?.final ? FINAL_MS : YOUNG_MS);
    return podium;
  }

  return (rainId) => {
    const known = read.get(rainId);
    if (known) return Promise.resolve(known.podium);
    let under = reading.get(rainId);
    if (!under) {
      if (reading.size >= READING_MAX) return Promise.reject(new Error('too many rains are asked for at once'));
      under = look(rainId).finally(() => reading.delete(rainId));
      reading.set(rainId, under);
    }
    return under;
  };
}
