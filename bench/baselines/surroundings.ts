import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Environment of every baseline. */
export const REDIS_URL = process.env['REDIS_URL'] ?? '';
export const DATABASE_URL = process.env['DATABASE_URL'] ?? '';
export const SECRET = process.env['JWT_SECRET'] ?? '';

/** Keys of a rain, all in one hash slot. */
export function keysOf(rainId: string): { packets: string; claimed: string; claims: string; stock: string; buyers: string } {
  return { packets: `{${rainId}}:packets`, claimed: `{${rainId}}:claimed`, claims: `{${rainId}}:claims`, stock: `{${rainId}}:stock`, buyers: `{${rainId}}:buyers` };
}

/** Sends the port to the parent process, and ends with it. */
export function announce(port: number): void {
  process.send!({ port });
  process.on('disconnect', () => process.exit(0));
}

export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', 4_096, () => announce((server.address() as AddressInfo).port));
}
