import type { z } from 'zod';

/** `anybody`: no login needed · `viewer`: every signed-in account · `operator`: operators only. */
type Access = 'anybody' | 'viewer' | 'operator';

/**
 * One endpoint of the console. The server registers it, the OpenAPI document describes it, and the tests iterate over it.
 * An endpoint that is not declared here does not exist.
 */
export interface Endpoint<P extends z.ZodType = z.ZodType, Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> {
  /** Unique, for client generators. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Contains `:name` for each field of `params`. */
  path: string;
  tag: string;
  summary: string;
  access: Access;
  params?: P;
  query?: Q;
  body?: B;
  /** HTTP status of a successful answer. */
  status: 200 | 201 | 204;
  /** Absent with 204. For a stream: the schema of one event. */
  answer?: A;
  /** Media type of the answer; JSON if absent. */
  mediaType?: 'application/json' | 'text/csv' | 'text/event-stream';
}

/** Keeps the types of the four schemas, so that the handler is type-checked. */
export function endpoint<P extends z.ZodType = z.ZodType<unknown>, Q extends z.ZodType = z.ZodType<unknown>, B extends z.ZodType = z.ZodType<unknown>, A extends z.ZodType = z.ZodType<unknown>>(
  described: Endpoint<P, Q, B, A>,
): Endpoint<P, Q, B, A> {
  return described;
}
