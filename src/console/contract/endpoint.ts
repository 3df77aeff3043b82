import type { z } from 'zod';

/** Who may ask: `anybody`, whoever is signed in, or an operator only. */
type Who = 'anybody' | 'viewer' | 'operator';

/**
 * One thing that the console can be asked for. The server registers it, the OpenAPI document describes it and the tests walk it:
 * what is not written down here does not exist.
 */
export interface Endpoint<P extends z.ZodType = z.ZodType, Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> {
  /** Unique, for client generators. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for each field of `params`. */
  path: string;
  tag: string;
  summary: string;
  who: Who;
  params?: P;
  query?: Q;
  body?: B;
  /** Of the answer that is no refusal. */
  status: 200 | 201 | 204;
  /** Absent with 204. Of a stream: one event. */
  answer?: A;
  /** Of the answer, unless it is JSON. */
  mediaType?: 'application/json' | 'text/csv' | 'text/event-stream';
}

/** Keeps the types of the four schemas for whoever answers. */
export function endpoint<P extends z.ZodType = z.ZodType<unknown>, Q extends z.ZodType = z.ZodType<unknown>, B extends z.ZodType = z.ZodType<unknown>, A extends z.ZodType = z.ZodType<unknown>>(
  described: Endpoint<P, Q, B, A>,
): Endpoint<P, Q, B, A> {
  return described;
}
