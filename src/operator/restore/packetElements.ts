import { z } from 'zod';
import { packetElement } from '../../store/loadPackets.ts';
import { readJson } from '../../rain/json.ts';
import { formatMoney } from '../../rain/money.ts';
import { redPacketId } from '../../rain/red-packet.ts';
import type { OperatorContext } from '../context.ts';

const element = z.object({ redPacketId: z.string() });

/** The packet in a list element; `undefined`: it is not one. */
export function elementIn(text: string): string | undefined {
  return element.safeParse(readJson(text)).data?.redPacketId;
}

/** The list element of the packet with this index, byte for byte as `load` writes it. */
export function elementOf(
  { signer }: Pick<OperatorContext, 'signer'>,
  rainId: string,
  allocation: BigInt64Array,
  index: number,
): string {
  return packetElement(signer, rainId, redPacketId(rainId, index), formatMoney(allocation[index]!));
}
