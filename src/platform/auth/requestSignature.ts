import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * How far the clock of a caller may be away from ours, ms: a request that somebody has recorded is worth nothing
 * afterwards.
 */
const WINDOW_MS = 5 * 60_000;

/**
 * Proves sender and time of a request, by the headers Rain-Timestamp and Rain-Signature. Documented for other systems
 * in docs/reference/webhook.md.
 * @param timestamp epoch ms, as in the header
 */
export function signatureOf(secret: string, timestamp: string, body: string | Uint8Array): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/** The headers of a request, as Node has them. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** @param body the bytes as they came @param now epoch ms. `old`: signed, but at another time than now */
export function checkSignature(
  secret: string,
  headers: Headers,
  body: Uint8Array,
  now: number,
): 'signed' | 'old' | 'forged' {
  const [timestamp, given] = [String(headers['rain-timestamp']), Buffer.from(String(headers['rain-signature']))];
  if (!/^\d{13}$/.test(timestamp)) return 'forged';
  const expected = Buffer.from(signatureOf(secret, timestamp, body));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
  return Math.abs(now - Number(timestamp)) > WINDOW_MS ? 'old' : 'signed';
}
