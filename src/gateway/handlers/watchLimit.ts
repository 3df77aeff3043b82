import { encode } from '../../protocol/codec.ts';
import { ERRORS } from '../../protocol/outcomes.ts';
import { send, type Session } from '../sockets/session.ts';
import type { HandlerContext } from './context.ts';

/** Rains and sales together. @param name a rain's id, or a sale's name */
export function watchesTooMany(
  { limits }: Pick<HandlerContext, 'limits'>,
  { watched }: Session,
  name: string,
): boolean {
  return watched.size >= limits.joinsPerSocketMax && !watched.has(name);
}

export function refuseToWatch(
  { limits, counters }: Pick<HandlerContext, 'limits' | 'counters'>,
  session: Session,
): void {
  counters.refused.joins++;
  send(session, encode({ type: 'error', code: 'not_allowed', reason: ERRORS.not_allowed.meaning }), limits);
}
