import { retryAfterMs } from '../platform/network/retryAfter.ts';
import { signatureOf, type WalletRequest } from './walletMessage.ts';

export interface WalletAddress {
  url: string;
  secret: string;
  /** Limit for the whole exchange, from connecting to the end of the answer. */
  timeoutMs: number;
}

/** Larger than the longest sensible answer, 500 results with reasons. Protects this process from an answer that never ends [R10]. */
const ANSWER_BYTES_MAX = 1_048_576;

export type WalletReply =
  /** `text` is missing when the answer was cut off or too long. `receipt`: its header, if there is one. */
  | { kind: 'answered'; status: number; text?: string; receipt?: string; afterMs?: number }
  /** It is unknown whether the wallet received the request. */
  | { kind: 'silent'; detail: string };

/** Never throws. A redirect is a reply like any other: see platform/network/retryable.ts. */
export async function sendToWallet({ url, secret, timeoutMs }: WalletAddress, { key, body }: WalletRequest): Promise<WalletReply> {
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
    return { kind: 'answered', status: response.status, ...(text !== undefined && { text }), ...(receipt !== null && { receipt }), ...(afterMs !== undefined && { afterMs }) };
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
  return cause instanceof Error ? (cause as NodeJS.ErrnoException).code ?? cause.message : String(cause);
}
