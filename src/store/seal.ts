import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { managedNonce } from '@noble/ciphers/utils.js';

const cipherOf = managedNonce(xchacha20poly1305);

/**
 * Encrypts a short text.
 * @param about its owner: it can be opened with the same words only, so nobody can move it elsewhere
 */
export function seal(key: Uint8Array, text: string, about: string): string {
  return Buffer.from(cipherOf(key, Buffer.from(about)).encrypt(Buffer.from(text))).toString('base64url');
}

/** @returns `undefined`: it was not sealed with this key and these words, or somebody has changed it */
export function unseal(key: Uint8Array, sealed: string, about: string): string | undefined {
  try {
    return Buffer.from(cipherOf(key, Buffer.from(about)).decrypt(Buffer.from(sealed, 'base64url'))).toString();
  } catch {
    return undefined;
  }
}
