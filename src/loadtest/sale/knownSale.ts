import { createRainClient } from '../../client/client.ts';
import { SALE_OUTCOMES } from '../../protocol/saleOutcomes.ts';
import { gatewayAddress } from '../address.ts';
import { RETRY_POLICY } from '../bots/retryPolicy.ts';
import { buyerSockets } from './buyerSocket.ts';

/**
 * Visits a sale as one user and leaves, before a crowd connects: a wrong id is told at once.
 * @returns false only if the gateway says that it does not know the sale; why it cannot be reached is the swarm's to
 *   say
 */
export async function isSaleKnown(url: string, saleId: string, token: string): Promise<boolean> {
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, AbortSignal.timeout(RETRY_POLICY.answerMs)]);
  const { WebSocket } = buyerSockets(undefined, () => lost.abort());
  const client = createRainClient({ url: gatewayAddress(url).href, token: async () => token, WebSocket });
  try {
    await client.connect({ signal });
    const visited = await client.visit(saleId, { signal });
    return visited.kind !== 'refused' || visited.reason !== SALE_OUTCOMES['-8'].reason;
  } catch {
    return true;
  } finally {
    client.close();
  }
}
