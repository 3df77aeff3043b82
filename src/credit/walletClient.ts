import { retryAfterMs } from '../platform/network/retryable.ts';
import { signatureOf, type WalletRequest } from './walletMessage.ts';

export interface WalletAddress {
  url: string;
  secret: string;
  /** For the whole exchange, from connecting to the end of the answer. */
  timeoutMs: number;
}

/** More than the longest sensible answer, 500 results with their reasons; protects this process from a wallet that never stops [R10]. */
const ANSWER_BYTES_MAX = 1_048_576;

export type WalletReply =
  /** `text` is missing where the answer broke off, or was longer than anybody reads. */
  | { kind: 'answered'; status: number; text?: string; afterMs?: number }
  /** Nobody knows whether it was heard. */
  | { kind: 'silent'; detail: string };

/** One request, one reply, and nothing thrown. A redirect is a reply like any other: see platform/network/retryable.ts. */
export async function askWallet({ url, secret, timeoutMs }: WalletAddress, { key, body }: WalletRequest): Promise<WalletReply> {
  const retryPolicy = new AbortController();
  const timer = setTimeout(() => retryPolicy.abort(), timeoutMs);
  const timestamp = String(Date.now());
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        'rain-timestamp': timestamp,
        'rain-signature': signatureOf(secret, timestamp, body),
      },
      body,
      redirect: 'manual',
      signal: retryPolicy.signal,
    });
    const afterMs = retryAfterMs(response.status, response.headers.get('retry-after'), Date.now());
    const text = await readText(response).catch(() => undefined);
    return { kind: 'answered', status: response.status, ...(text !== undefined && { text }), ...(afterMs !== undefined && { afterMs }) };
  } catch (error) {
    return { kind: 'silent', detail: retryPolicy.signal.aborted ? `no answer in ${timeoutMs} ms` : `no answer: ${causeOf(error)}` };
  } finally {
    clearTimeout(timer);
    // Whatever of the answer is still on its way is not waited for.
    retryPolicy.abort();
  }
}

async function readText(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > ANSWER_BYTES_MAX) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** `fetch failed` says nothing; what it came of does. */
function causeOf(error: unknown): string {
  const { cause = error } = error as Error;
  return cause instanceof Error ? (cause as NodeJS.ErrnoException).code ?? cause.message : String(cause);
}
