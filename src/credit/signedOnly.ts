import type { Claim } from '../rain/claim.ts';
import type { PayoutProvider, PostOutcome } from './payoutProvider.ts';

interface Signatures {
  isGenuine(rainId: string, packet: { redPacketId: string; amount: string; mac: string }): boolean;
  /**
   * Whether the rain is signed with our key; otherwise nothing can be said, and its claims with other signatures wait.
   */
  isOurs(rainId: string): Promise<boolean>;
}

/**
 * Passes on only the claims whose packet was signed by us [R14]. Gateways set a forged packet aside and tell its user
 * of the next one, but the claim log keeps the entry: if it names a planned packet, it would be paid instead of the one
 * that the user was told. Claims from before packets were signed have no `mac`, and pass.
 */
export function signedOnly<P extends PayoutProvider>(provider: P, signatures: Signatures): P {
  const isGenuine = (claim: Claim) =>
    claim.mac === undefined || signatures.isGenuine(claim.rainId, { ...claim, mac: claim.mac });
  return {
    ...provider,
    async post(rainId, claims, apart) {
      const genuine = claims.filter(isGenuine);
      if (genuine.length === claims.length) return provider.post(rainId, claims, apart);
      const refused: PostOutcome = (await signatures.isOurs(rainId))
        ? {
            outcome: 'giveUp',
            reason: 'not_in_plan',
            detail: 'its packet is not signed with SIGNING_SECRET: somebody else has written it into Redis',
          }
        : {
            outcome: 'reconsumeLater',
            detail: 'its packet is signed with another SIGNING_SECRET than this process has',
          };
      const outcomes = genuine.length === 0 ? [] : await provider.post(rainId, genuine, apart);
      if (outcomes.length !== genuine.length)
        throw new Error(`the payout provider returned ${outcomes.length} outcomes for ${genuine.length} claims`);
      let next = 0;
      return claims.map((claim) => (isGenuine(claim) ? outcomes[next++]! : refused));
    },
  };
}
