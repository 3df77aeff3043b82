import { RECONNECT, RETRY_MS_MAX } from '../../src/client/backoff.ts';
import { delayBeforeRetry } from '../../src/platform/network/backoff.ts';
import { Crowded } from './crowd.ts';

/** The configuration that the console sends to this page. */
export interface PlayerConfig {
  gatewayUrl: string;
  /** The currency of all amounts, ISO 4217. Absent: an older console. */
  currency?: string;
  /**
   * Anybody may play as a guest: each tab as another one, or this device as one. Absent: only who has a token or a
   * code.
   */
  guests?: 'tab' | 'device';
  /** People on a list come in with a personal code. */
  participants?: true;
  /** Nobody sees the names of winners, but the operator. */
  hidesNames?: true;
  /** The title of the event. */
  event?: string;
  /** Where phones find the player's page, if not here. */
  page?: string;
  /**
   * Where orders of sales are paid: on a page of the shop (`{orderId}` stands for the order), or here in the demo.
   * Absent: elsewhere.
   */
  pay?: { url: string } | { demo: true };
  /** Epoch ms of the console when it answered, to the second. */
  serverTime?: number;
}

/** The console does not take this name for a new guest. */
export class NameRefused extends Error {}

export const ANSWER_MS_MAX = 8_000;
/** The status of an answer to an address that has asked too often. */
const TOO_MANY = 429;

interface Answer {
  status: number;
  body: Record<string, unknown> | undefined;
  retryInMs?: number;
  serverTime?: number;
}

export function untilConfigured(random: () => number): Promise<PlayerConfig> {
  return untilAnswered(readConfig, random);
}

/** Asks again until the console answers. @param random in [0, 1). @throws the last error after so many tries */
export async function untilAnswered<T>(ask: () => Promise<T>, random: () => number, triesMax = Infinity): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (failures >= triesMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayBeforeRetry(failures, RECONNECT, random)));
    }
  }
}

/** @throws when the console cannot be reached or does not answer as expected */
async function readConfig(): Promise<PlayerConfig> {
  const { status, body, serverTime } = await request('api/config');
  const { gatewayUrl, currency, guests, participants, hidesNames, event, page, pay: paying } = body ?? {};
  if (typeof gatewayUrl !== 'string') throw new Error(`no configuration: ${status}`);
  const pay = payOf(paying);
  return {
    gatewayUrl,
    ...(typeof currency === 'string' && { currency }),
    ...((guests === 'tab' || guests === 'device') && { guests }),
    ...(participants === true && { participants }),
    ...(hidesNames === true && { hidesNames }),
    ...(typeof event === 'string' && { event }),
    ...(typeof page === 'string' && { page }),
    ...(pay && { pay }),
    ...(serverTime !== undefined && { serverTime }),
  };
}

function payOf(value: unknown): PlayerConfig['pay'] {
  if (!isObject(value)) return undefined;
  if (typeof value['url'] === 'string') return { url: value['url'] };
  return value['demo'] === true ? { demo: true } : undefined;
}

/**
 * @param former this guest's last token, to keep the user id.
 * @param name the new guest's.
 * @returns `undefined` if anonymous guests may not play.
 * @throws Crowded, NameRefused, or if busy
 */
export function requestGuestToken(former: string | undefined, name: string | undefined): Promise<string | undefined> {
  return requestToken('api/guest', { token: former, name });
}

/** @returns `undefined` if nobody has this code. @throws Crowded, or if busy */
export function requestParticipantToken(code: string): Promise<string | undefined> {
  return requestToken('api/participant', { code }, 'no_such_code');
}

/** One that can only watch. @returns `undefined` if nobody may come in without an invitation. @throws if busy */
export function requestScreenToken(): Promise<string | undefined> {
  return requestToken('api/screen', {});
}

/** @param refusal the code of the only answer that says no; absent: each 404 does */
async function requestToken(path: string, asked: object, refusal?: string): Promise<string | undefined> {
  const { status, body, retryInMs } = await request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  if (status === TOO_MANY && retryInMs !== undefined) throw new Crowded(retryInMs);
  if (body?.['code'] === 'blocked') return undefined;
  if (Array.isArray(body?.['refusals']) && body['refusals'].some((one) => isObject(one) && one['field'] === 'name'))
    throw new NameRefused(String(body['reason']));
  if (status === 404 && (refusal === undefined || body?.['code'] === refusal)) return undefined;
  if (typeof body?.['token'] !== 'string') throw new Error(`no token of ${path}: ${status}`);
  return body['token'];
}

/**
 * @returns the status, the body if it is an object, how long to wait before the request is repeated, and its time.
 * @throws when the console does not answer in time, or a success is not in JSON
 */
export async function request(path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(path, { ...init, signal: within(ANSWER_MS_MAX) });
  const body: unknown = answer.ok ? await answer.json() : await answer.json().catch(() => undefined);
  const retryInMs = Number(answer.headers.get('retry-after')) * 1_000;
  const serverTime = Date.parse(answer.headers.get('date') ?? '');
  return {
    status: answer.status,
    body: isObject(body) ? body : undefined,
    ...(retryInMs > 0 && { retryInMs: Math.min(retryInMs, RETRY_MS_MAX) }),
    ...(serverTime > 0 && { serverTime }),
  };
}

/** Aborts then. Not `AbortSignal.timeout`, which older browsers lack. */
export function within(ms: number): AbortSignal {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), ms);
  return stop.signal;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
