import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What every baseline is started with. */
export const REDIS_URL = process.env['REDIS_URL'] ?? '';
export const DATABASE_URL = process.env['DATABASE_URL'] ?? '';
export const SECRET = process.env['JWT_SECRET'] ?? '';

/** Keys of a rain, in one hash slot as a good engineer would have them. */
export function keysOf(rainId: string): { packets: string; claimed: string; claims: string; stock: string; buyers: string } {
  return { packets: `{${rainId}}:packets`, claimed: `{${rainId}}:claimed`, claims: `{${rainId}}:claims`, stock: `{${rainId}}:stock`, buyers: `{${rainId}}:buyers` };
}

/** Tells the parent where this one listens, and ends with it. */
export function announce(port: number): void {
  process.send!({ port });
  process.on('disconnect', () => process.exit(0));
}

export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', 4_096, () => announce((server.address() as AddressInfo).port));
}
