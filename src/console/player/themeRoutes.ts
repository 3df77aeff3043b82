import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { deadlineIn } from '../../platform/concurrency/deadline.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { rainId } from '../../rain/ids.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import { PLAYER_REFUSALS, refusalFor, refuse, REFUSALS } from '../refusals.ts';
import { visitorAddress } from '../session/authenticate.ts';
import { byteRangeIn } from './byteRange.ts';
import { allowOrigin, allowPreflight } from './origins.ts';
import type { ThemeFileRead, ThemeReader } from './theme.ts';
import type { UnknownRains } from './unknownRains.ts';

/** Each limit protects this process, or the ledger, from one careless or hostile visitor [R10]. */
const LIMITS = {
  /** Without a token. A whole hall may share one address and open its pages at the same moment. */
  perMinutePerAddress: 6_000,
  filesPerMinutePerAddress: 30_000,
  readMsMax: 4_000,
  retryMs: 2_000,
} as const;

export interface ThemeOptions {
  themes: ThemeReader;
  unknownRains: UnknownRains;
  /** Further origins whose pages may read the answers, besides this console's own. */
  allowedOrigins: readonly string[];
  log: Logger;
}

/** What an operator has uploaded is shown, and nothing else: opened by itself it loads and runs nothing. */
const FILE_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable', 'content-security-policy': "default-src 'none'; sandbox", 'accept-ranges': 'bytes' } as const;

const themeQuery = z.strictObject({ rain: rainId.optional() });

/** Serves what everybody may see: the look of a rain, and what the host says with it. No token; cookies are never read. */
export function serveThemes(server: FastifyInstance, { themes, unknownRains, allowedOrigins, log }: ThemeOptions): void {
  const route = (max: number) => ({
    config: { rateLimit: { max, timeWindow: 60_000 } },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => { allowOrigin(request, reply, allowedOrigins); },
  });

  server.get('/api/theme', route(LIMITS.perMinutePerAddress), async (request, reply) => {
    const query = themeQuery.safeParse(request.query);
    if (!query.success) return refuse(reply, refusalFor([firstRefusal(query.error, 'request')], 'bad_request'));
    const [address, { rain }] = [visitorAddress(request), query.data];
    if (rain !== undefined && unknownRains.exceeds(address, rain)) return refuse(reply, PLAYER_REFUSALS.too_often, 60_000);
    const shown = await inTime(async () => themes.show(rain === undefined ? undefined : await unknownRains.count(address, rain, () => themes.greeting(rain))));
    return shown ? reply.header('cache-control', 'public, max-age=1').send(shown) : refuse(reply, PLAYER_REFUSALS.unavailable, LIMITS.retryMs);
  });

  server.get<{ Params: { name: string } }>('/api/theme/files/:name', route(LIMITS.filesPerMinutePerAddress), async (request, reply) => {
    const read = await inTime(async () => ({ file: await themes.file(`api/theme/files/${request.params.name}`) }));
    if (!read) return refuse(reply, PLAYER_REFUSALS.unavailable, LIMITS.retryMs);
    return read.file ? sendFile(reply, read.file, request.headers.range) : refuse(reply, REFUSALS.not_found);
  });

  for (const path of ['/api/theme', '/api/theme/files/:name']) server.options(path, route(LIMITS.perMinutePerAddress), async (_request, reply) => allowPreflight(reply).code(204).send());

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
  return reply.code(206).header('content-range', `bytes ${range.first}-${range.last}/${bytes.length}`).send(bytes.subarray(range.first, range.last + 1));
}
