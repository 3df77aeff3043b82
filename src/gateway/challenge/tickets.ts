import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Challenge } from '../../protocol/proofOfWork.ts';
import type { Limits } from '../limits.ts';
import { putLast } from '../ratelimit/tokenBuckets.ts';

/** A ticket: its text on the wire, and its expiry. */
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
/** 48 bytes give 64 characters without padding, so that each ticket has exactly one spelling. */
const TICKET_TEXT = /^[A-Za-z0-9_-]{64}$/;
const EXPIRY_MAX = 2 ** (8 * EXPIRY_BYTES) - 1;

/** Derives a separate key for each purpose, so that a signature for one purpose proves nothing for another. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'red-packet-rain/v1', purpose, 32));
}

/** The user and the rain that a signature is bound to. The id of a rain contains no slash, so no two pairs give the same text. */
export const boundTo = (userId: string, rainId: string): string => `${rainId}/${userId}`;

/** Tickets: version, expiry, random bytes, and an HMAC over these, user and rain. Not stored: all gateways share the secret. */
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

  /** `undefined`: forged, expired, for another user or rain, or signed with another secret. @param now epoch ms, by Redis's clock */
  read(text: string, userId: string, rainId: string, now: number): Ticket | undefined {
    if (!TICKET_TEXT.test(text)) return undefined;
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

/** The ticket and the challenge of one session for one rain. */
export interface AdmissionState {
  ticket: Ticket | undefined;
  challenge: Promise<Challenge> | undefined;
  /** When that challenge expires, epoch ms by Redis's clock. */
  challengeUntil: number;
}

/** The admission state of this session for this rain, created if missing. Beyond the limit of watched rains the oldest is dropped [R10]. */
export function admissionStateOf(session: { admissions: Map<string, AdmissionState> | undefined }, rainId: string, { joinsPerSocketMax }: Limits): AdmissionState {
  const admissions = session.admissions ??= new Map<string, AdmissionState>();
  const known = admissions.get(rainId);
  if (known) return known;
  const admission: AdmissionState = { ticket: undefined, challenge: undefined, challengeUntil: 0 };
  putLast(admissions, rainId, admission, joinsPerSocketMax);
  return admission;
}
