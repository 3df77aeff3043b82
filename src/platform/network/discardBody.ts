import type { IncomingMessage } from 'node:http';

/**
 * The most bytes and time for reading a body that nobody wants. Protects this process from a sender that never ends
 * [R10].
 */
const LIMITS = { bytesMax: 8 * 1_048_576, msMax: 1_000 } as const;

/**
 * Reads the rest of a body away. A connection that is closed while its sender still sends is reset, and the sender
 * never reads the answer. Resolves at the end of the body, or at a limit.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  if (request.complete || Number(request.headers['content-length'] ?? 0) > LIMITS.bytesMax) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(end, LIMITS.msMax);
    function end(): void {
      clearTimeout(timer);
      request.off('data', count).off('end', end).off('close', end);
      resolve();
    }
    function count(part: Buffer): void {
      bytes += part.byteLength;
      if (bytes > LIMITS.bytesMax) end();
    }
    request.on('data', count).once('end', end).once('close', end);
  });
}
