import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ReadToken } from '../../platform/auth/tokenReader.ts';
import { codeIn } from '../../platform/auth/typedCode.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { NICKNAME_EXPECTED, nicknameIn, type WinnerNames } from '../../rain/names.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import type { EntryTokens } from '../entryTokens.ts';
import { NOBODY_BLOCKED, type BlockedGuests } from '../blockedGuests.ts';
import type { GuestTokens } from '../guests.ts';
import { REFUSALS, refusalFor, refuse } from '../refusals.ts';
import { isForeign, visitorAddress } from '../session/authenticate.ts';
import { createArrivals } from './arrivals.ts';
import { createBearerReader } from './bearer.ts';
import { createRateLimiter, type RateLimit } from './rateLimiter.ts';
import { WaitingLines } from './waitingLines.ts';

/** Each limit protects this process, or what is named, from one careless or hostile visitor [R10]. */
const LIMITS = {
  /** Screens, and counts of phones. */
  requestsPerMinutePerAddress: 6_000,
  renewalsPerMinutePerGuest: 6_000,
  /** New guests; who comes again is none. Protects the packets, and the memory of gateways, from invented guests. */
  newGuestsPerMinutePerAddress: 60,
  newGuestsAtOncePerAddress: {
    demo: 60,
    /** Five hundred phones behind one address, each twice. */
    event: 1_000,
  },
  /** Beyond them the address looks up its codes more slowly: people mistype, and 1 in 2^50 guesses is right. */
  wrongCodesPerMinutePerAddress: 60,
  wrongCodesAtOncePerAddress: 120,
  codesAtOnceMax: 32,
  addressesRemembered: 5_000,
  guestsRemembered: 50_000,
  tokenCharactersMax: 2_048,
  codeCharactersMax: 64,
} as const;

const NEW_GUESTS = {
  perMinute: LIMITS.newGuestsPerMinutePerAddress,
  callersRemembered: LIMITS.addressesRemembered,
} as const;
const RENEWALS = {
  atOnceMax: LIMITS.renewalsPerMinutePerGuest,
  perMinute: LIMITS.renewalsPerMinutePerGuest,
  callersRemembered: LIMITS.guestsRemembered,
} as const;
const WRONG_CODES: RateLimit = {
  atOnceMax: LIMITS.wrongCodesAtOncePerAddress,
  perMinute: LIMITS.wrongCodesPerMinutePerAddress,
  callersRemembered: LIMITS.addressesRemembered,
};
const COUNT_MS = 1_000;
const LINE_FULL_MS = 1_000;
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
  /** How many people are on the list of participants. */
  countInvited?: () => Promise<number>;
  /** How screens show the names of those who have come; absent: not at all. */
  names?: WinnerNames;
  /** Without it no screen is known, and nobody is told names. */
  readToken?: ReadToken;
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

/**
 * Gives tokens to those who may come in, but to no page of another site: it would use up the places of its visitor's
 * address. @param kind a hall has many phones behind one address
 */
export function serveEntry(
  server: FastifyInstance,
  {
    guests,
    blockedGuests = async () => NOBODY_BLOCKED,
    enterByCode,
    countPhones,
    countInvited,
    names = 'none',
    readToken = async () => undefined,
    tokens,
    screens = false,
    wrongCodes = WRONG_CODES,
  }: EntryOptions,
  kind: keyof typeof LIMITS.newGuestsAtOncePerAddress,
): void {
  const ownPage = {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) =>
      isForeign(request) ? refuse(reply, REFUSALS.cross_origin) : undefined,
  };
  const limited = { config: { rateLimit: { max: LIMITS.requestsPerMinutePerAddress, timeWindow: 60_000 } } };
  const newGuests = createRateLimiter({ ...NEW_GUESTS, atOnceMax: LIMITS.newGuestsAtOncePerAddress[kind] });
  const wrong = createRateLimiter(wrongCodes);
  const renewals = createRateLimiter(RENEWALS);
  const inTurn = createSemaphore(LIMITS.codesAtOnceMax);
  const lines = new WaitingLines();
  const arrivals = createArrivals();

  server.post('/api/guest', ownPage, async (request, reply) => {
    if (!guests) return refuse(reply, REFUSALS.no_guests);
    const body = guestRequest.safeParse(request.body);
    if (!body.success) return refuse(reply, refusalFor([firstRefusal(body.error, 'request')], 'bad_request'));
    const { token, name } = body.data ?? {};
    reply.header('cache-control', 'no-store');
    const known = token === undefined ? undefined : await guests.renew(token);
    const blocked = await blockedGuests();
    if (known) {
      if (blocked.holds(known.userId)) return refuse(reply, REFUSALS.blocked);
      const waitMs = renewals.take(known.userId);
      if (waitMs > 0) return refuse(reply, REFUSALS.too_many, waitMs);
      arrivals.add(known.userId);
      return known;
    }
    if (name !== undefined && blocked.hasName(name)) return refuse(reply, NAME_BLOCKED);
    const waitMs = newGuests.take(visitorAddress(request));
    if (waitMs > 0) return refuse(reply, REFUSALS.too_many, waitMs);
    const guest = await guests.issue(name);
    arrivals.add(guest.userId);
    return guest;
  });

  server.post('/api/participant', ownPage, async (request, reply) => {
    if (!enterByCode || !tokens) return refuse(reply, REFUSALS.no_participants);
    const body = codeRequest.safeParse(request.body);
    if (!body.success) return refuse(reply, refusalFor([firstRefusal(body.error, 'request')], 'bad_request'));
    const [code, address] = [codeIn(body.data.code), visitorAddress(request)];
    if (lines.isFull(address)) return refuse(reply, REFUSALS.too_many, LINE_FULL_MS);
    const found =
      code === undefined
        ? undefined
        : await lines.lookUp(address, {
            isGone: () => reply.raw.destroyed,
            look: () => inTurn(() => enterByCode(code)),
            isTooMany: () => wrong.take(address) > 0,
          });
    if (!found) return refuse(reply, REFUSALS.no_such_code);
    reply.header('cache-control', 'no-store');
    arrivals.add(found.userId);
    return { ...(await tokens.issue(found.userId)), ...found };
  });

  server.post('/api/screen', { ...ownPage, ...limited }, async (_request, reply) => {
    if (!tokens || !screens) return refuse(reply, REFUSALS.no_guests);
    reply.header('cache-control', 'no-store');
    return tokens.forScreen();
  });

  /** One count for all who ask within a second. */
  const count = async () => [(await countPhones?.()) ?? 0, await countInvited?.()] as const;
  let [counted, countedAt]: [ReturnType<typeof count>, number] = [Promise.resolve([0, undefined]), -Infinity];
  const bearerOf = createBearerReader(readToken);
  server.get('/api/present', limited, async (request, reply) => {
    if (!countPhones) return refuse(reply, REFUSALS.not_found);
    reply.header('cache-control', 'no-store');
    if (performance.now() >= countedAt + COUNT_MS) [counted, countedAt] = [count(), performance.now()];
    const [phones, invited] = await counted;
    const bearer = await bearerOf(request);
    // Everybody may know how many have come, and only a screen who they are.
    if (bearer === undefined || bearer === 'unavailable' || !bearer.audience?.watchOnly) return { phones };
    return { phones, ...(invited !== undefined && { invited }), names: arrivals.names(names, await blockedGuests()) };
  });
}
