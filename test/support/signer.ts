import { createSigner } from '../../src/store/signer.ts';

/** SIGNING_SECRET of everything that tests start. */
export const SIGNING_SECRET = 'a-signing-secret-for-tests-only-0123456789';
export const signer = createSigner(SIGNING_SECRET);
/** After the secret was replaced: it signs with a new one and knows the former. */
export const laterSigner = createSigner(`a-later-signing-secret-for-tests-0123456789,${SIGNING_SECRET}`);

/** The answer of the engine about a packet of this rain, genuine. */
export function genuine<C extends '0' | '1'>(code: C, rainId: string, redPacketId: string, amount: string) {
  return { code, redPacketId, amount, mac: signer.packetMac(rainId, redPacketId, amount) };
}

/** The event that tells gateways of these credits, as a worker publishes it. */
export function creditedEvent(
  rainId: string,
  claims: readonly { userId: string; redPacketId: string; amount: string }[],
): string {
  return JSON.stringify({
    type: 'credited',
    rainId,
    claims: claims.map(({ userId, redPacketId, amount }) => ({
      userId,
      redPacketId,
      amount,
      mark: signer.creditMark({ rainId, redPacketId, amount, userId }),
    })),
  });
}
