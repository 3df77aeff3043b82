import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export const REDIS_URL = process.env['REDIS_URL'] ?? '';
export const DATABASE_URL = process.env['DATABASE_URL'] ?? '';
const SECRET = process.env['JWT_SECRET'] ?? '';

/** Keys of a rain, all in one hash slot. */
export function keysOf(rainId: string): {
  packets: string;
  claimed: string;
  claims: string;
  stock: string;
  buyers: string;
} {
  return {
    packets: `{${rainId}}:packets`,
    claimed: `{${rainId}}:claimed`,
    claims: `{${rainId}}:claims`,
    stock: `{${rainId}}:stock`,
    buyers: `{${rainId}}:buyers`,
  };
}

/** Sends the port to the parent process, and ends with it. */
export function announce(port: number): void {
  process.send!({ port });
  process.on('disconnect', () => process.exit(0));
}

export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', 4_096, () => announce((server.address() as AddressInfo).port));
}

/** Loads a script of this folder. @returns its SHA */
export async function loadScript(
  redis: { script(subcommand: 'LOAD', script: string): Promise<unknown> },
  file: string,
): Promise<string> {
  return String(await redis.script('LOAD', readFileSync(new URL(file, import.meta.url), 'utf8')));
}

/** The user of `Authorization: Bearer …`; `undefined` when the token does not verify. */
export function bearer(authorization = ''): string | undefined {
  return verify(authorization.slice('Bearer '.length));
}

/** The user of an HS256 token, checked without a library for speed; `undefined` when it does not verify. */
export function verify(token: string): string | undefined {
  const [head, body, signature] = token.split('.');
  if (!head || !body || !signature) return undefined;
  const expected = createHmac('sha256', SECRET).update(`${head}.${body}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { sub?: unknown; exp?: unknown };
  return typeof claims.sub === 'string' && typeof claims.exp === 'number' && claims.exp * 1_000 > Date.now()
    ? claims.sub
    : undefined;
}
