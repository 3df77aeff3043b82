import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { CreditQueue } from '../../credit/queue.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Queues, QueueContext, Refused } from '../../operator/context.ts';
import type { AfterReconnect, Replicated } from '../../operator/settle.ts';
import { tellRefusal } from '../../rain/refusal.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { REFUSALS, type Refusal, type RefusalCode } from '../refusals.ts';
import type { SignedIn } from '../session/authenticate.ts';

/** All that the routes work with; whoever asks is put into `actor`. */
export interface Backend extends Omit<QueueContext, 'actor' | 'queues'>, AfterReconnect {
  queues: Queues & { later: CreditQueue };
  /** Asked before money goes back; absent where no replicas are asked for. */
  replicated?: Replicated;
}

interface Asked<P, Q, B> {
  /** With whoever asks as its actor. */
  context: QueueContext & Backend;
  visitor: SignedIn;
  params: P;
  query: Q;
  body: B;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** An answer, a refusal, or `streamed`: the handler has taken the reply over. */
type Answer<A> = { answer: A } | { declined: Refusal } | 'streamed';

export interface Route {
  endpoint: Endpoint;
  handle: (asked: Asked<unknown, unknown, unknown>) => Promise<Answer<unknown>>;
}

/** Binds a handler to what it answers; the types of both come from the schemas. */
export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, A>, handle: (asked: Asked<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Answer<z.input<A>>>,
): Route {
  // What was parsed by a schema is what its handler takes.
  return { endpoint: endpoint as unknown as Endpoint, handle: handle as Route['handle'] };
}

/** The same about one rain, which there must be: looked up once, here. */
export function rainRoute<P extends z.ZodType<{ rainId: string }>, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, A>, handle: (asked: Asked<z.output<P>, z.output<Q>, z.output<B>> & { rain: BookedRain }) => Promise<Answer<z.input<A>>>,
): Route {
  return route(endpoint, async (asked) => {
    const rain = await asked.context.ledger.rain(asked.params.rainId);
    return rain ? handle({ ...asked, rain }) : declined('no_such_rain');
  });
}

export function declined(code: RefusalCode): { declined: Refusal } {
  return { declined: REFUSALS[code] };
}

/** A verb's refusals, or a schema's: the first of them in words, and all of them by field. */
export function declinedFor(refusals: Refused['refusals'], code: 'refused' | 'bad_request' = 'refused'): { declined: Refusal } {
  return { declined: { ...REFUSALS[code], reason: refusals[0] ? tellRefusal(refusals[0]) : REFUSALS[code].reason, refusals } };
}

/** What a verb has done, whole, or why it has not. */
export function answered<Done extends { ok: true }>(done: Done | Refused): { answer: Omit<Done, 'ok'> } | { declined: Refusal } {
  if (!done.ok) return declinedFor(done.refusals);
  const { ok: _, ...plain } = done;
  return { answer: plain };
}

/** Without the fields that were not sent: a verb takes what is there for what was asked. */
export function given<T extends object>(asked: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}
