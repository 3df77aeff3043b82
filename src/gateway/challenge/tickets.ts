import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** A ticket as it goes over the wire, and what it says. */
export interface Ticket {
  text: string;
  /** Epoch ms, by Redis's clock. */
  expiresAt: number;
}

const VERSION = 1;
const EXPIRY_BYTES = 6;
const NONCE_BYTES = 9;
const HEAD_BYTES = 1 + EXPIRY_BYTES + NONCE_BYTES;
const MAC_BYTES = 32;
/** 48 bytes make 64 letters without padding: each ticket is written in one way only. */
const WRITTEN = /^[A-Za-z0-9_-]{64}$/;
const EXPIRY_MAX = 2 ** (8 * EXPIRY_BYTES) - 1;

/** A key of its own for each purpose, so that what is signed for one proves nothing for another. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'red-packet-rain/v1', purpose, 32));
}

/** Whom and what something is for. No rain's id has a slash, so that no two pairs read alike. */
export const boundTo = (userId: string, rainId: string): string => `${rainId}/${userId}`;

/**
 * Entry tickets: version, expiry, chance, and an HMAC over these, the user and the rain. Nothing is kept: every gateway of
 * the deployment, which shares the secret, can tell whether one of them has handed it out.
 */
export class Tickets {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = deriveKey(secret, 'ticket');
  }

  /** @param expiresAt epoch ms, by Redis's clock */
  issue(userId: string, rainId: string, expiresAt: number): Ticket {
    const expiry = Math.min(Math.ceil(expiresAt), EXPIRY_MAX);
    const head = Buffer.alloc(HEAD_BYTES);
    head[0] = VERSION;
    head.writeUIntBE(expiry, 1, EXPIRY_BYTES);
    randomBytes(NONCE_BYTES).copy(head, 1 + EXPIRY_BYTES);
    return { text: Buffer.concat([head, this.#sign(head, userId, rainId)]).toString('base64url'), expiresAt: expiry };
  }

  /** `undefined`: forged, somebody else's, for another rain, signed with another secret, or run out. @param now epoch ms, by Redis's clock */
  read(text: string, userId: string, rainId: string, now: number): Ticket | undefined {
    if (!WRITTEN.test(text)) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    const head = bytes.subarray(0, HEAD_BYTES);
    const given = bytes.subarray(HEAD_BYTES, HEAD_BYTES + MAC_BYTES);
    if (!timingSafeEqual(given, this.#sign(head, userId, rainId))) return undefined;
    const expiresAt = head.readUIntBE(1, EXPIRY_BYTES);
    return head[0] === VERSION && expiresAt > now ? { text, expiresAt } : undefined;
  }

  #sign(head: Buffer, userId: string, rainId: string): Buffer {
    return createHmac('sha256', this.#key).update(head).update(boundTo(userId, rainId)).digest();
  }
}
