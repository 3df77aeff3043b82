import type { IncomingMessage } from 'node:http';
import { repeatsHeader } from '../../platform/network/repeatedHeaders.ts';
import { HTTP_REFUSALS } from '../../protocol/http.ts';

interface HeadRefusal {
  status: number;
  reason: string;
  meaning: string;
}

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** Why the head of this request is not read further, before its body arrives. */
export function checkHead(
  { headers, rawHeaders }: IncomingMessage,
  hasBody: boolean,
  bytesMax: number,
): HeadRefusal | undefined {
  if (repeatsHeader(rawHeaders)) return HTTP_REFUSALS[400];
  if (headers['transfer-encoding'] !== undefined) return HTTP_REFUSALS[411];
  const length = headers['content-length'];
  if (!hasBody) return length === undefined || length === '0' ? undefined : HTTP_REFUSALS[400];
  if (length === undefined) return HTTP_REFUSALS[411];
  if (Number(length) > bytesMax)
    return { ...HTTP_REFUSALS[413], meaning: `Content-Length: expected at most ${bytesMax} bytes.` };
  return JSON_TYPE.test(headers['content-type'] ?? '') ? undefined : HTTP_REFUSALS[415];
}

/**
 * Reads a body whose length `checkHead` has found short enough. It is never called back for a sender who hangs up
 * before the end.
 */
export function readBody(request: IncomingMessage, onBody: (text: string) => void): void {
  let body: Buffer | undefined;
  request.on('data', (chunk: Buffer) => {
    body = body === undefined ? chunk : Buffer.concat([body, chunk]);
  });
  request.on('end', () => onBody(body === undefined ? '' : body.toString()));
}
