import type { ServerResponse } from 'node:http';

/** Answers a request once, with the pause of a refusal as Retry-After. Callers that have hung up hear nothing. */
export function respond(response: ServerResponse, status: number, body: string, retryInMs?: number): void {
  if (response.headersSent) return;
  const headers = [
    'Content-Type',
    'application/json',
    'Cache-Control',
    'no-store',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ];
  if (retryInMs !== undefined) headers.push('Retry-After', String(Math.ceil(retryInMs / 1_000)));
  response.writeHead(status, headers);
  const { socket } = response;
  if (!socket) return void response.end(body);
  // `end(body)` is a writev of two strings, for which Node allocates memory each time. Head and body are one string,
  // and one write.
  socket.cork();
  response.write(body);
  socket.uncork();
  response.end();
}

interface Refusal {
  status: number;
  reason: string;
  meaning: string;
}

/** The body of a refusal, at the upgrade too. */
export function refusalBody({ status, reason, meaning }: Refusal, retryInMs?: number): string {
  return JSON.stringify({ code: status, reason, meaning, ...(retryInMs !== undefined && { retryInMs }) });
}

export function refuse(response: ServerResponse, refusal: Refusal, retryInMs?: number): void {
  respond(response, refusal.status, refusalBody(refusal, retryInMs), retryInMs);
}

/** The same, and closes the connection: the rest of the request, or further ones, are not wanted. */
export function refuseAndClose(response: ServerResponse, refusal: Refusal, retryInMs?: number): void {
  response.shouldKeepAlive = false;
  refuse(response, refusal, retryInMs);
}
