import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { deadlineIn } from '../../platform/concurrency/deadline.ts';
import type { ReadToken } from '../../platform/auth/tokenReader.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { mayEnter } from '../../rain/audience.ts';
import { rainId } from '../../rain/ids.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import { PLAYER_REFUSALS, refusalFor, refuse, REFUSALS } from '../refusals.ts';
import { visitorAddress } from '../session/authenticate.ts';
import { createBearerReader } from './bearer.ts';
import { byteRangeIn } from './byteRange.ts';
import { allowOrigin, allowPreflight } from './origins.ts';
import type { ThemeFileRead, ThemeReader } from './theme.ts';
import type { UnknownRains } from './unknownRains.ts';

/** Each limit protects this process, or the ledger, from one careless or hostile visitor [R10]. */
const LIMITS = {
  filesPerMinutePerAddress: 30_000,
  readMsMax: 4_000,
  retryMs: 2_000,
} as const;

export interface ThemeOptions {
  themes: ThemeReader;
  /** Absent where no token can be verified: nobody is invited then. */
  readToken?: ReadToken;
  unknownRains: UnknownRains;
  /** Further origins whose pages may read the answers, besides this console's own. */
  allowedOrigins: readonly string[];
  log: Logger;
}

/** Files that an operator has uploaded are shown, and nothing else: opened by themselves they load and run nothing. */
const FILE_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'accept-ranges': 'bytes',
} as const;

/** Files of themes, and pictures of items. */
const FOLDERS = ['api/theme/files', 'api/sale/pictures'] as const;

const themeQuery = z.strictObject({ rain: rainId.optional() });

/**
 * Serves the look of a rain, and what the host says with it: to everybody; of a rain by invitation, to users whose
 * token names it. To others it is one that there is not, so whether a rain is by invitation must not be read before the
 * token has been: neither limits nor time may tell it.
 */
export function serveThemes(
  server: FastifyInstance,
  { themes, readToken = async () => undefined, unknownRains, allowedOrigins, log }: ThemeOptions,
): void {
  // A look has no limit of its own: from memory it costs no more than a refusal, which would shut out a whole hall.
  const route = {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      allowOrigin(request, reply, allowedOrigins);
    },
  };

  const bearerOf = createBearerReader(readToken);

  /** Whether the token is for this rain even if it is by invitation. */
  async function isInvited(request: FastifyRequest, rain: string): Promise<boolean | 'unavailable'> {
    const bearer = await bearerOf(request);
    return bearer === 'unavailable'
      ? bearer
      : bearer !== undefined && mayEnter(bearer.audience, 'rains', rain, { invitedOnly: true });
  }

  server.get('/api/theme', route, async (request, reply) => {
    const query = themeQuery.safeParse(request.query);
    if (!query.success) return refuse(reply, refusalFor([firstRefusal(query.error, 'request')], 'bad_request'));
    const [address, { rain }] = [visitorAddress(request), query.data];
    const invited = rain !== undefined && (await isInvited(request, rain));
    if (invited === 'unavailable') return refuse(reply, PLAYER_REFUSALS.unavailable, LIMITS.retryMs);
    if (rain !== undefined && !invited && unknownRains.exceeds(address, rain))
      return refuse(reply, PLAYER_REFUSALS.too_often, 60_000);
    const greetingOf = (id: string) =>
      invited
        ? themes.invitedGreeting(id)
        : unknownRains.lookUp(
            address,
            id,
            () => reply.raw.destroyed,
            () => themes.greeting(id),
          );
    const shown = await inTime(async () => themes.show(rain === undefined ? undefined : await greetingOf(rain)));
    return shown
      ? reply
          .headers({ 'cache-control': `${invited ? 'private' : 'public'}, max-age=1`, vary: 'origin, authorization' })
          .send(shown)
      : refuse(reply, PLAYER_REFUSALS.unavailable, LIMITS.retryMs);
  });

  for (const folder of FOLDERS)
    server.get<{ Params: { name: string } }>(
      `/${folder}/:name`,
      { ...route, config: { rateLimit: { max: LIMITS.filesPerMinutePerAddress, timeWindow: 60_000 } } },
      async (request, reply) => {
        const read = await inTime(async () => ({ file: await themes.file(`${folder}/${request.params.name}`) }));
        if (!read) return refuse(reply, PLAYER_REFUSALS.unavailable, LIMITS.retryMs);
        return read.file ? sendFile(reply, read.file, request.headers.range) : refuse(reply, REFUSALS.not_found);
      },
    );

  for (const path of ['/api/theme', ...FOLDERS.map((folder) => `/${folder}/:name`)])
    server.options(path, route, async (_request, reply) => allowPreflight(reply).code(204).send());

  /** `undefined` if it takes too long, or the ledger cannot be read. */
  async function inTime<T extends object>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      const found = await deadlineIn(LIMITS.readMsMax).within(read());
      if (found !== 'late') return found;
    } catch (error) {
      log.warn({ err: error }, 'cannot read a theme');
    }
    return undefined;
  }
}

function sendFile(reply: FastifyReply, { type, bytes }: ThemeFileRead, asked: string | undefined): FastifyReply {
  const range = byteRangeIn(asked, bytes.length);
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${bytes.length}`).send();
  void reply.headers(FILE_HEADERS).type(type);
  if (range === 'whole') return reply.send(bytes);
  return reply
    .code(206)
    .header('content-range', `bytes ${range.first}-${range.last}/${bytes.length}`)
    .send(bytes.subarray(range.first, range.last + 1));
}
