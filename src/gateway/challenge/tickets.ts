import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Limits } from '../limits.ts';
import { putLast } from '../ratelimit/tokenBuckets.ts';

/** A ticket: its text on the wire, and its expiry. */
export interface Ticket {
  text: string;
  /** Epoch ms, by Redis's clock. */
  expiresAt: number;
  /** The same, rounded up to a second. */
  issuedAt: number;
  /** Whether a challenge was solved for it. */
  solved: boolean;
}

/** The first byte, by whether a challenge was solved. Version 1 said neither that nor when it was issued. */
const [PLAIN, SOLVED] = [2, 3];
const EXPIRY_BYTES = 6;
/** Whole seconds. */
const ISSUED_BYTES = 4;
const NONCE_BYTES = 5;
const HEAD_BYTES = 1 + EXPIRY_BYTES + ISSUED_BYTES + NONCE_BYTES;
const MAC_BYTES = 32;
/** 48 bytes give 64 characters without padding, so that each ticket has exactly one spelling. */
const TICKET_TEXT = /^[A-Za-z0-9_-]{64}$/;
const EXPIRY_MAX = 2 ** (8 * EXPIRY_BYTES) - 1;

/** Derives a separate key for each purpose, so that a signature for one purpose proves nothing for another. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'red-packet-rain/v1', purpose, 32));
}

/**
 * The user and the rain that a signature is bound to. The id of a rain contains no slash, so no two pairs give the same
 * text.
 */
export const boundTo = (userId: string, rainId: string): string => `${rainId}/${userId}`;

/**
 * Tickets: version, expiry, time of issue, random bytes, and an HMAC over these, user and rain. Not stored: all
 * gateways share the secret.
 */
export class Tickets {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = deriveKey(secret, 'ticket');
  }

  /** @param now epoch ms by Redis's clock, as `expiresAt` */
  issue(
    userId: string,
    rainId: string,
    { expiresAt, now, solved }: { expiresAt: number; now: number; solved: boolean },
  ): Ticket {
    const expiry = Math.min(Math.ceil(expiresAt), EXPIRY_MAX);
    const head = Buffer.alloc(HEAD_BYTES);
    const issuedSeconds = Math.ceil(now / 1_000);
    head[0] = solved ? SOLVED : PLAIN;
    head.writeUIntBE(expiry, 1, EXPIRY_BYTES);
    head.writeUIntBE(issuedSeconds, 1 + EXPIRY_BYTES, ISSUED_BYTES);
    randomBytes(NONCE_BYTES).copy(head, 1 + EXPIRY_BYTES + ISSUED_BYTES);
    return {
      text: Buffer.concat([head, this.#sign(head, userId, rainId)]).toString('base64url'),
      expiresAt: expiry,
      issuedAt: issuedSeconds * 1_000,
      solved,
    };
  }

  /**
   * `undefined`: forged, expired, for another user or rain, or signed with another secret.
   * @param now epoch ms, by Redis's clock
   */
  read(text: string, userId: string, rainId: string, now: number): Ticket | undefined {
    if (!TICKET_TEXT.test(text)) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    const head = bytes.subarray(0, HEAD_BYTES);
    const given = bytes.subarray(HEAD_BYTES, HEAD_BYTES + MAC_BYTES);
    if (!timingSafeEqual(given, this.#sign(head, userId, rainId))) return undefined;
    const expiresAt = head.readUIntBE(1, EXPIRY_BYTES);
    const issuedAt = head.readUIntBE(1 + EXPIRY_BYTES, ISSUED_BYTES) * 1_000;
    return (head[0] === PLAIN || head[0] === SOLVED) && expiresAt > now
      ? { text, expiresAt, issuedAt, solved: head[0] === SOLVED }
      : undefined;
  }

  #sign(head: Buffer, userId: string, rainId: string): Buffer {
    return createHmac('sha256', this.#key).update(head).update(boundTo(userId, rainId)).digest();
  }
}

/** A holder of tickets: a socket, or a caller over HTTP. */
export interface TicketHolder {
  readonly userId: string;
  /** By rain or sale; `undefined` until the first one. */
  tickets: Map<string, Ticket> | undefined;
  /** A solution is being verified. */
  solving: boolean;
}

/** The holder need not show it again here. Beyond the limit of watched rains the oldest is dropped [R10]. */
export function keepTicket(
  holder: Pick<TicketHolder, 'tickets'>,
  name: string,
  ticket: Ticket,
  { joinsPerSocketMax }: Limits,
): void {
  putLast((holder.tickets ??= new Map<string, Ticket>()), name, ticket, joinsPerSocketMax);
}
