import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { BookedRain } from '../../ledger/rains.ts';
import type { BookedSale } from '../../ledger/sales.ts';
import { NEEDS_APPROVAL } from '../../operator/approval/ask.ts';
import type { QueueContext, Refused } from '../../operator/context.ts';
import type { SendReservations } from '../../operator/sale/repair.ts';
import type { AfterReconnect, Replicated } from '../../operator/settle.ts';
import type { SystemContext } from '../../operator/system.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { REFUSALS, refusalFor, type Refusal, type RefusalCode } from '../refusals.ts';
import type { SignedIn } from '../session/authenticate.ts';

/** The means of the routes. The visitor's name is added as `actor`. */
export interface Backend extends Omit<QueueContext, 'actor' | 'queues'>, AfterReconnect {
  queues: SystemContext['queues'];
  /** Sends reservations without an order to the workers again. */
  sendReservations: SendReservations;
  /** Awaited before money goes back. Absent if no replicas are required. */
  replicated?: Replicated;
}

/** The parsed part of the request, by the schema of the endpoint. */
type Parsed<E extends Endpoint, Part extends 'params' | 'query' | 'body'> = E[Part] extends z.ZodType
  ? z.output<E[Part]>
  : unknown;

interface RouteInput<E extends Endpoint> {
  /** Its actor is the visitor. */
  context: QueueContext & Backend;
  visitor: SignedIn;
  params: Parsed<E, 'params'>;
  query: Parsed<E, 'query'>;
  body: Parsed<E, 'body'>;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** An answer, a refusal, or `streamed`: the handler writes the reply itself. */
type Answer<E extends Endpoint> =
  | { answer: E['answer'] extends z.ZodType ? z.input<E['answer']> : unknown }
  | { declined: Refusal }
  | 'streamed';

export interface Route {
  endpoint: Endpoint;
  handle: (input: RouteInput<Endpoint>) => Promise<Answer<Endpoint>>;
}

/** Binds a handler to its endpoint. The types come from the schemas. */
export function route<E extends Endpoint>(endpoint: E, handle: (input: RouteInput<E>) => Promise<Answer<E>>): Route {
  // Safe: the input is parsed by the same schemas that type the handler.
  return { endpoint, handle: handle as Route['handle'] };
}

/** A route about one existing rain. The rain is looked up here, once. */
export function rainRoute<E extends Endpoint & { params: z.ZodType<{ rainId: string }> }>(
  endpoint: E,
  handle: (input: RouteInput<E> & { rain: BookedRain }) => Promise<Answer<E>>,
): Route {
  return route(endpoint, async (input) => {
    const rain = await input.context.ledger.rain((input.params as { rainId: string }).rainId);
    return rain ? handle({ ...input, rain }) : declined('no_such_rain');
  });
}

/** The same for one existing sale. */
export function saleRoute<E extends Endpoint & { params: z.ZodType<{ saleId: string }> }>(
  endpoint: E,
  handle: (input: RouteInput<E> & { sale: BookedSale }) => Promise<Answer<E>>,
): Route {
  return route(endpoint, async (input) => {
    const sale = await input.context.ledger.sale((input.params as { saleId: string }).saleId);
    return sale ? handle({ ...input, sale }) : declined('no_such_sale');
  });
}

export function declined(code: RefusalCode): { declined: Refusal } {
  return { declined: REFUSALS[code] };
}

export function foundOr<A>(code: RefusalCode, found: A | undefined): { answer: A } | { declined: Refusal } {
  return found === undefined ? declined(code) : { answer: found };
}

export function declinedFor(refusals: Refused['refusals']): { declined: Refusal } {
  return { declined: refusalFor(refusals, refusals[0]?.field === NEEDS_APPROVAL ? NEEDS_APPROVAL : 'refused') };
}

/** The result of a verb as an answer, or its refusals. */
export function answerOf<Done extends { ok: true }>(
  done: Done | Refused,
): { answer: Omit<Done, 'ok'> } | { declined: Refusal } {
  if (!done.ok) return declinedFor(done.refusals);
  const { ok: _, ...plain } = done;
  return { answer: plain };
}

/** Drops undefined fields, because a verb treats, and records, every present field as requested. */
export function definedFields<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
