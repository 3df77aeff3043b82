import { createHash } from 'node:crypto';
import { signatureOf } from '../auth/requestSignature.ts';
import { retryAfterMs } from './retryAfter.ts';

/** Another system, such as a wallet or a shop, and how it is asked. */
export interface SignedAddress {
  url: string;
  secret: string;
  /** Limit for the whole exchange, from connecting to the end of the answer. */
  timeoutMs: number;
}

export interface SignedRequest {
  /** Idempotency-Key: the same for the same content. */
  key: string;
  body: string;
}

/** The key of a request about several things: the same for the same ids, in any order. */
export function batchKey(ids: readonly string[]): string {
  return `batch-${createHash('sha256')
    .update([...ids].sort().join(' '))
    .digest('hex')
    .slice(0, 32)}`;
}

/**
 * Larger than the longest sensible answer, 500 results with reasons. Protects this process from an answer that never
 * ends [R10].
 */
const ANSWER_BYTES_MAX = 1_048_576;

export type SignedReply =
  /** `text` is missing when the answer was cut off or too long. `receipt`: the header Rain-Receipt, if there is one. */
  | { kind: 'answered'; status: number; text?: string; receipt?: string; afterMs?: number }
  /** It is unknown whether the other system received the request. */
  | { kind: 'silent'; detail: string };

/** Never throws. A redirect is a reply like any other: see retryable.ts. */
export async function postSigned(
  { url, secret, timeoutMs }: SignedAddress,
  { key, body }: SignedRequest,
): Promise<SignedReply> {
  const signal = AbortSignal.timeout(timeoutMs);
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
      signal,
    });
    const afterMs = retryAfterMs(response.status, response.headers.get('retry-after'), Date.now());
    const receipt = response.headers.get('rain-receipt');
    const text = await readText(response).catch(() => undefined);
    return {
      kind: 'answered',
      status: response.status,
      ...(text !== undefined && { text }),
      ...(receipt !== null && { receipt }),
      ...(afterMs !== undefined && { afterMs }),
    };
  } catch (error) {
    return { kind: 'silent', detail: signal.aborted ? `no answer in ${timeoutMs} ms` : `no answer: ${causeOf(error)}` };
  }
}

async function readText(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > ANSWER_BYTES_MAX) return undefined; // Cancels the rest of the answer.
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The cause of `fetch failed`, which itself says nothing. */
function causeOf(error: unknown): string {
  const { cause = error } = error as Error;
  return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause);
}
