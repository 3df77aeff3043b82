import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Refusal } from '../refusals.ts';
import type { SignedIn } from '../session/authenticate.ts';
import { AT_ONCE, declinedForNow } from './atOnce.ts';

/** Streams a CSV under this file name, if there is a place for one more export. */
export async function exportSheet(
  reply: FastifyReply,
  visitor: SignedIn,
  name: string,
  open: () => Promise<Readable>,
): Promise<'streamed' | { declined: Refusal }> {
  const end = AT_ONCE.exports(visitor.name);
  if (!end) return declinedForNow();
  const stream = await open().catch((error: unknown) => {
    end();
    throw error;
  });
  stream.once('close', end);
  void reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(stream);
  return 'streamed';
}
