import { timingSafeEqual } from 'node:crypto';
import { createFastHmac, hmacKeyOf } from './hmac.ts';
import { readSignedJson } from './signedJson.ts';
import { TOKEN_ALGORITHM } from './token.ts';

/** A byte sequence that is no UTF-8 is no text; without `fatal` several of them would become the same one. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The claims of a token that is signed with this secret, as they are written in it; `undefined`: it is not signed with
 * it. jose uses WebCrypto, which asks another thread for each token and takes about ten times the processor time.
 */
export function createHs256Reader(secret: string): (token: string) => unknown {
  const hmac = createFastHmac(hmacKeyOf(secret));
  return (token) => {
    const [head, claims] = [token.indexOf('.'), token.lastIndexOf('.')];
    if (!areEqual(token.slice(claims + 1), hmac(token.slice(0, Math.max(0, claims))))) return undefined;
    // Other fields of the head are for others; an extension that we must understand (`crit`) is none of ours.
    const { alg, crit } = readObject(token.slice(0, head)) ?? {};
    return alg === TOKEN_ALGORITHM && crit === undefined ? readObject(token.slice(head + 1, claims)) : undefined;
  };
}

/**
 * Compares the texts and not what they spell, so that a signature has one spelling. In UTF-8: in latin1, other
 * characters would become the same.
 */
function areEqual(text: string, expected: string): boolean {
  const [given, wanted] = [Buffer.from(text), Buffer.from(expected)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The object that a part of a token spells, each key once. */
export function readObject(part: string): Record<string, unknown> | undefined {
  const bytes = decodeCanonical(part);
  if (!bytes) return undefined;
  try {
    const value = readSignedJson(utf8.decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The bytes, if this is the one text that spells them in base64url: Node also reads padding, blanks, free bits and the
 * letters of base64.
 */
export function decodeCanonical(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
