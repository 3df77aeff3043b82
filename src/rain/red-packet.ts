/**
 * The id of packet `index` of a rain: counted from 0 in the order in which packets are handed out (separately by each
 * shard).
 */
export function redPacketId(rainId: string, index: number): string {
  return `${rainId}-${index}`;
}

/** The index in a packet id; `undefined`: not a packet id of this rain. It does not check that the index exists. */
export function redPacketIndex(rainId: string, id: string): number | undefined {
  const index = Number(id.slice(rainId.length + 1));
  // Only the canonical form is valid: no sign, no leading zero, no exponent.
  return Number.isSafeInteger(index) && index >= 0 && redPacketId(rainId, index) === id ? index : undefined;
}
