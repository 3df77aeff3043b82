import { gatewayAddress } from '../address.ts';
import { RETRY_POLICY } from './retryPolicy.ts';
import { dial } from './socket.ts';

/**
 * Joins a rain as one user and leaves, before a crowd connects: a wrong id is told at once.
 * @returns false only if the gateway says that it does not know the rain; why it cannot be reached is the wave's to say
 */
export function isKnown(url: string, rainId: string, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (known: boolean) => {
      clearTimeout(silence);
      socket.close();
      resolve(known);
    };
    const silence = setTimeout(() => end(true), RETRY_POLICY.answerMs);
    const socket = dial({ address: gatewayAddress(url), retryPolicy: RETRY_POLICY }, token, undefined, {
      onMessage(message) {
        if (message.type === 'welcome') socket.send({ type: 'join', rainId });
        else if ('rainId' in message && message.rainId === rainId)
          end(message.type !== 'result' || message.code !== '-8');
      },
      onUnreadable() {},
      onLost: () => end(true),
    });
  });
}
