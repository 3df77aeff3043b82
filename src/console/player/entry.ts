import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { codeIn } from '../../platform/auth/typedCode.ts';
import { NICKNAME_CHARACTERS_MAX, nicknameIn } from '../../rain/names.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import type { EntryTokens } from '../entryTokens.ts';
import type { GuestTokens } from '../guests.ts';
import { REFUSALS, refusalFor, refuse } from '../refusals.ts';

/** Each limit protects this process from one careless or hostile visitor [R10]. */
const LIMITS = {
  guestsPerMinutePerAddress: 60,
  /** A whole hall may share one address. Nobody guesses a code at this pace, see CODE_CHARACTERS. */
  codesPerMinutePerAddress: 1_200,
  countsPerMinutePerAddress: 600,
  tokenCharactersMax: 2_048,
  codeCharactersMax: 64,
} as const;

const COUNT_MS = 1_000;

/** The ways in. */
export interface EntryOptions {
  /** Present where anybody may play as a guest. */
  guests?: GuestTokens;
  /** Present where people on the list of participants may play: who has this code, and the first use is written down. */
  enterByCode?: (code: string) => Promise<{ userId: string; name: string } | undefined>;
  /** At an event: how many phones the gateways have, for the screen of the hall. */
  countPhones?: () => Promise<number>;
  codesPerMinutePerAddress?: number;
  /** Whether anybody may watch: the screen of a hall has no code. */
  screens?: boolean;
  /** Needed for participants and screens. */
  tokens?: EntryTokens;
}

const guestRequest = z.strictObject({
  token: z.string().max(LIMITS.tokenCharactersMax).optional(),
  name: z.string().transform((typed, context) => nicknameIn(typed) ?? (context.addIssue(`expected 1 to ${NICKNAME_CHARACTERS_MAX} characters, and a letter, a digit or a symbol among them`), z.NEVER)).optional(),
}).nullish();
const codeRequest = z.strictObject({ code: z.string('expected the code of a participant').max(LIMITS.codeCharactersMax, 'expected the code of a participant') });

/** Gives tokens to those who may come in. */
export function serveEntry(server: FastifyInstance, { guests, enterByCode, countPhones, tokens, screens = false, codesPerMinutePerAddress = LIMITS.codesPerMinutePerAddress }: EntryOptions): void {
  const perMinute = (max: number) => ({ config: { rateLimit: { max, timeWindow: 60_000 } } });

  server.post('/api/guest', perMinute(LIMITS.guestsPerMinutePerAddress), async (request, reply) => {
    if (!guests) return refuse(reply, REFUSALS.no_guests);
    const body = guestRequest.safeParse(request.body);
    if (!body.success) return refuse(reply, refusalFor([firstRefusal(body.error, 'request')], 'bad_request'));
    reply.header('cache-control', 'no-store');
    return guests.issue(body.data?.token, body.data?.name);
  });

  server.post('/api/participant', perMinute(codesPerMinutePerAddress), async (request, reply) => {
    if (!enterByCode || !tokens) return refuse(reply, REFUSALS.no_participants);
    const body = codeRequest.safeParse(request.body);
    if (!body.success) return refuse(reply, refusalFor([firstRefusal(body.error, 'request')], 'bad_request'));
    const code = codeIn(body.data.code);
    const person = code === undefined ? undefined : await enterByCode(code);
    if (!person) return refuse(reply, REFUSALS.no_such_code);
    reply.header('cache-control', 'no-store');
    return { ...await tokens.issue(person.userId), ...person };
  });

  server.post('/api/screen', perMinute(LIMITS.guestsPerMinutePerAddress), async (_request, reply) => {
    if (!tokens || !screens) return refuse(reply, REFUSALS.no_guests);
    reply.header('cache-control', 'no-store');
    return tokens.forScreen();
  });

  /** One count for all who ask within a second. */
  let [counted, countedAt] = [Promise.resolve(0), -Infinity];
  server.get('/api/present', perMinute(LIMITS.countsPerMinutePerAddress), async (_request, reply) => {
    if (!countPhones) return refuse(reply, REFUSALS.not_found);
    reply.header('cache-control', 'no-store');
    if (performance.now() >= countedAt + COUNT_MS) [counted, countedAt] = [countPhones(), performance.now()];
    return { phones: await counted };
  });
}
