import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { CreditQueue } from '../../credit/queue.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Queues, QueueContext, Refused } from '../../operator/context.ts';
import type { AfterReconnect, Replicated } from '../../operator/settle.ts';
import { formatRefusal } from '../../rain/refusal.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { REFUSALS, type Refusal, type RefusalCode } from '../refusals.ts';
import type { SignedIn } from '../session/authenticate.ts';

/** What the routes work with. The visitor's name is added as `actor`. */
export interface Backend extends Omit<QueueContext, 'actor' | 'queues'>, AfterReconnect {
  queues: Queues & { later: CreditQueue };
  /** Awaited before money goes back. Absent if no replicas are required. */
  replicated?: Replicated;
}

interface RouteInput<P, Q, B> {
  /** Its actor is the visitor. */
  context: QueueContext & Backend;
  visitor: SignedIn;
  params: P;
  query: Q;
  body: B;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** An answer, a refusal, or `streamed`: the handler writes the reply itself. */
type Answer<A> = { answer: A } | { declined: Refusal } | 'streamed';

export interface Route {
  endpoint: Endpoint;
  handle: (input: RouteInput<unknown, unknown, unknown>) => Promise<Answer<unknown>>;
}

/** Binds a handler to its endpoint. The types come from the schemas. */
export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, A>, handle: (input: RouteInput<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Answer<z.input<A>>>,
): Route {
  // Safe: the input is parsed by the same schemas that type the handler.
  return { endpoint: endpoint as unknown as Endpoint, handle: handle as Route['handle'] };
}

/** A route about one existing rain. The rain is looked up here, once. */
export function rainRoute<P extends z.ZodType<{ rainId: string }>, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, A>, handle: (input: RouteInput<z.output<P>, z.output<Q>, z.output<B>> & { rain: BookedRain }) => Promise<Answer<z.input<A>>>,
): Route {
  return route(endpoint, async (input) => {
    const rain = await input.context.ledger.rain(input.params.rainId);
    return rain ? handle({ ...input, rain }) : declined('no_such_rain');
  });
}

export function declined(code: RefusalCode): { declined: Refusal } {
  return { declined: REFUSALS[code] };
}

/** Refusals of a verb or a schema: the first one as text, and all of them by field. */
export function declinedFor(refusals: Refused['refusals'], code: 'refused' | 'bad_request' = 'refused'): { declined: Refusal } {
  return { declined: { ...REFUSALS[code], reason: refusals[0] ? formatRefusal(refusals[0]) : REFUSALS[code].reason, refusals } };
}

/** The result of a verb as an answer, or its refusals. */
export function answerOf<Done extends { ok: true }>(done: Done | Refused): { answer: Omit<Done, 'ok'> } | { declined: Refusal } {
  if (!done.ok) return declinedFor(done.refusals);
  const { ok: _, ...plain } = done;
  return { answer: plain };
}

/** Drops undefined fields, because a verb treats every present field as requested. */
export function definedFields<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}
