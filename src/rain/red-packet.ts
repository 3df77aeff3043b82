/** Packet `index` of a rain, counted from 0 in the order in which the packets are handed out (by each shard its own). */
export function redPacketId(rainId: string, index: number): string {
  return `${rainId}-${index}`;
}

/** The other way round; `undefined`: no id of a packet of this rain. Whether there are so many: for the caller to see. */
export function redPacketIndex(rainId: string, id: string): number | undefined {
  const index = Number(id.slice(rainId.length + 1));
  // Only the one way of writing an index is an id: no sign, no leading zero, no exponent.
  return Number.isSafeInteger(index) && index >= 0 && redPacketId(rainId, index) === id ? index : undefined;
}
