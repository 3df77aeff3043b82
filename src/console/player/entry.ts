import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { codeIn } from '../../platform/auth/typedCode.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { NICKNAME_EXPECTED, nicknameIn } from '../../rain/names.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import type { EntryTokens } from '../entryTokens.ts';
import { NOBODY_BLOCKED, type BlockedGuests } from '../blockedGuests.ts';
import type { GuestTokens } from '../guests.ts';
import { REFUSALS, refusalFor, refuse } from '../refusals.ts';
import { visitorAddress } from '../session/authenticate.ts';
import { createRateLimiter, type RateLimit } from './rateLimiter.ts';

/** Each limit protects this process, or what is named, from one careless or hostile visitor [R10]. */
const LIMITS = {
  /** The limit of each path below. A whole hall may share one address and open its pages at the same moment. */
  requestsPerMinutePerAddress: 6_000,
  /** New guests; who comes again is none. Protects the packets, and the memory of gateways, from invented guests. */
  newGuestsPerMinutePerAddress: 60,
  newGuestsAtOncePerAddress: {
    demo: 60,
    /** Five hundred phones behind one address, each twice. */
    event: 1_000,
  },
  /** Protects the codes, of which 1 in 2^50 is right: people mistype, and do not guess. */
  wrongCodesPerMinutePerAddress: 60,
  wrongCodesAtOncePerAddress: 120,
  /** Codes that are being looked up. So many wrong ones more can be tried before they are counted. */
  codesAtOnceMax: 32,
  addressesRemembered: 5_000,
  tokenCharactersMax: 2_048,
  codeCharactersMax: 64,
} as const;

const NEW_GUESTS = {
  perMinute: LIMITS.newGuestsPerMinutePerAddress,
  callersRemembered: LIMITS.addressesRemembered,
} as const;
const WRONG_CODES: RateLimit = {
  atOnceMax: LIMITS.wrongCodesAtOncePerAddress,
  perMinute: LIMITS.wrongCodesPerMinutePerAddress,
  callersRemembered: LIMITS.addressesRemembered,
};
const COUNT_MS = 1_000;
const NAME_BLOCKED = refusalFor(
  [{ field: 'name', reason: 'expected another name: a guest of this one is blocked' }],
  'bad_request',
);

/** The ways in. */
export interface EntryOptions {
  /** Present where anybody may play as a guest. */
  guests?: GuestTokens;
  /** The guests that the operator has blocked; absent: none. */
  blockedGuests?: () => Promise<BlockedGuests>;
  /**
   * Present where people on the list of participants may play: who has this code, and the first use is written down.
   */
  enterByCode?: (code: string) => Promise<{ userId: string; name: string } | undefined>;
  /** At an event: how many phones the gateways have, for the screen of the hall. */
  countPhones?: () => Promise<number>;
  /** A test's own. */
  wrongCodes?: RateLimit;
  /** Whether anybody may watch: the screen of a hall has no code. */
  screens?: boolean;
  /** Needed for participants and screens. */
  tokens?: EntryTokens;
}

const guestRequest = z
  .strictObject({
    token: z.string().max(LIMITS.tokenCharactersMax).optional(),
    name: z
      .string()
      .transform((typed, context) => nicknameIn(typed) ?? (context.addIssue(NICKNAME_EXPECTED), z.NEVER))
      .optional(),
  })
  .nullish();
const codeRequest = z.strictObject({
  code: z
    .string('expected the code of a participant')
    .max(LIMITS.codeCharactersMax, 'expected the code of a participant'),
});

/** Gives tokens to those who may come in. @param kind a hall has many phones behind one address */
export function serveEntry(
  server: FastifyInstance,
  {
    guests,
    blockedGuests = async () => NOBODY_BLOCKED,
    enterByCode,
    countPhones,
    tokens,
    screens = false,
    wrongCodes = WRONG_CODES,
  }: EntryOptions,
  kind: keyof typeof LIMITS.newGuestsAtOncePerAddress,
): void {
  const route = { config: { rateLimit: { max: LIMITS.requestsPerMinutePerAddress, timeWindow: 60_000 } } };
  const newGuests = createRateLimiter({ ...NEW_GUESTS, atOnceMax: LIMITS.newGuestsAtOncePerAddress[kind] });
  const wrong = createRateLimiter(wrongCodes);
  const inTurn = createSemaphore(LIMITS.codesAtOnceMax);

  server.post('/api/guest', route, async (request, reply) => {
    if (!guests) return refuse(reply, REFUSALS.no_guests);
    const body = guestRequest.safeParse(request.body);
    if (!body.success) return refuse(reply, refusalFor([firstRefusal(body.error, 'request')], 'bad_request'));
    const { token, name } = body.data ?? {};
    reply.header('cache-control', 'no-store');
    const known = token === undefined ? undefined : await guests.renew(token);
    const blocked = await blockedGuests();
    if (known) return blocked.holds(known.userId) ? refuse(reply, REFUSALS.blocked) : known;
    if (name !== undefined && blocked.hasName(name)) return refuse(reply, NAME_BLOCKED);
    const waitMs = newGuests.take(visitorAddress(request));
    return waitMs > 0 ? refuse(reply, REFUSALS.too_many, waitMs) : guests.issue(name);
  });

  /**
   * @returns how long the address must wait, ms, before the code is looked at; else whose it is. Only wrong ones count
   */
  async function enter(address: string, code: string, lookUp: NonNullable<typeof enterByCode>) {
    const waitMs = wrong.waitOf(address);
    if (waitMs > 0) return waitMs;
    const person = await lookUp(code);
    if (!person) wrong.take(address);
    return person;
  }

  server.post('/api/participant', route, async (request, reply) => {
    if (!enterByCode || !tokens) return refuse(reply, REFUSALS.no_participants);
    const body = codeRequest.safeParse(request.body);
    if (!body.success) return refuse(reply, refusalFor([firstRefusal(body.error, 'request')], 'bad_request'));
    const code = codeIn(body.data.code);
    const found =
      code === undefined ? undefined : await inTurn(() => enter(visitorAddress(request), code, enterByCode));
    if (typeof found === 'number') return refuse(reply, REFUSALS.too_many, found);
    if (!found) return refuse(reply, REFUSALS.no_such_code);
    reply.header('cache-control', 'no-store');
    return { ...(await tokens.issue(found.userId)), ...found };
  });

  server.post('/api/screen', route, async (_request, reply) => {
    if (!tokens || !screens) return refuse(reply, REFUSALS.no_guests);
    reply.header('cache-control', 'no-store');
    return tokens.forScreen();
  });

  /** One count for all who ask within a second. */
  let [counted, countedAt] = [Promise.resolve(0), -Infinity];
  server.get('/api/present', route, async (_request, reply) => {
    if (!countPhones) return refuse(reply, REFUSALS.not_found);
    reply.header('cache-control', 'no-store');
    if (performance.now() >= countedAt + COUNT_MS) [counted, countedAt] = [countPhones(), performance.now()];
    return { phones: await counted };
  });
}
