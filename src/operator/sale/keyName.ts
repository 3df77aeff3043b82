import type { Json } from '../../ledger/actions.ts';

/**
 * The name of the key with which a sale was first loaded, see `Signer.keyId`. Redis has it, too, but who can write
 * there can write another.
 * @param actions the sale's, oldest first. @returns undefined: it was never loaded
 */
export function saleKeyName(actions: readonly { verb: string; details?: Json }[]): string | undefined {
  return actions
    .filter(({ verb }) => verb === 'load')
    .map(({ details }) => details?.['signedBy'])
    .find((name) => typeof name === 'string');
}
