import { connect } from 'node:net';

/**
 * Sends a whole request with a body of so many bytes and reads only then, as plain HTTP clients do.
 * @returns all that was answered
 * @throws when the connection is reset
 */
export function sendThenRead(url: string, path: string, bytes: number): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const parts: Buffer[] = [];
    socket.pause();
    socket
      .once('error', reject)
      .on('data', (part) => parts.push(part))
      .once('end', () => resolve(Buffer.concat(parts).toString()));
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(bytes, 120), () => setImmediate(() => socket.resume()));
  });
}
