import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Signer } from '../../store/signer.ts';
import { readCookie, writeCookie, type RequestOrigin } from './cookies.ts';

const COOKIE = 'rain_device';
const KNOWN_MS = 180 * 24 * 3_600_000;
const FORM = /^([\w-]{22})\.(\d{13})\.([\w-]{43})$/;

type Marks = Pick<Signer, 'sessionMac' | 'isSession'>;
const signed = (id: string, since: string, name: string): string => ['device', id, since, name].join('\n');

/**
 * The device from which this name has signed in before, by a cookie that only we can make. It opens nothing: see
 * attempts.ts.
 */
export function deviceOf(
  request: FastifyRequest,
  signer: Marks,
  name: string,
  origin: RequestOrigin,
): string | undefined {
  const [, id, since, mac] = FORM.exec(readCookie(request, COOKIE, origin) ?? '') ?? [];
  if (id === undefined || since === undefined || mac === undefined) return undefined;
  const isKnown = Number(since) + KNOWN_MS > Date.now() && signer.isSession(mac, signed(id, since, name));
  return isKnown ? id : undefined;
}

/** Lets the browser keep that this name has signed in here. */
export function rememberDevice(
  request: FastifyRequest,
  reply: FastifyReply,
  signer: Marks,
  name: string,
  origin: RequestOrigin,
): void {
  const [id, since] = [
    deviceOf(request, signer, name, origin) ?? randomBytes(16).toString('base64url'),
    String(Date.now()),
  ];
  const value = `${id}.${since}.${signer.sessionMac(signed(id, since, name))}`;
  writeCookie(request, reply, origin, { name: COOKIE, value, maxAge: KNOWN_MS / 1_000 });
}
