import { z } from 'zod';
import { rainId } from '../../rain/ids.ts';
import { STORED_STATES } from '../../rain/rain.ts';

/**
 * One endpoint of the console. The server registers it, the OpenAPI document describes it, and the tests iterate over
 * it. An endpoint that is not declared here does not exist.
 */
export interface Endpoint {
  /** Unique, for client generators. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Contains `:name` for each field of `params`. */
  path: string;
  tag: string;
  summary: string;
  /** `anybody`: no login needed · `viewer`: every signed-in account · `operator`: operators only. */
  access: 'anybody' | 'viewer' | 'operator';
  /** With the query `nobody=204` a visitor without login gets 204 in place of 401. */
  nobody?: true;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Media type of the body; JSON if absent. `application/octet-stream`: any picture or sound. */
  bodyType?: 'application/json' | 'text/csv' | 'application/octet-stream';
  /** Largest body, bytes; absent: that of the console. */
  bodyBytesMax?: number;
  /** HTTP status of a successful answer. */
  status: 200 | 201 | 204;
  /** Absent with 204. For a stream: the schema of one event. */
  answer?: z.ZodType;
  /** Media type of the answer; JSON if absent. */
  mediaType?: 'application/json' | 'text/csv' | 'text/event-stream';
}

/** Fields that several answers share. Amounts are decimal strings. Times are ISO 8601 unless stated otherwise. */
export const money = z.string().describe('A decimal amount with two digits, such as "12.21".');
export const time = z.string().describe('ISO 8601, UTC.');
export const epochMs = z.number().describe('Milliseconds since 1970, UTC.');
export const count = z.int().min(0);
export const perSecond = z.number().min(0);
export const state = z.enum([...STORED_STATES, 'open']).describe('See the life of a rain.');
export const shownState = z
  .enum([...state.options, 'lost'])
  .describe('See the life of a rain; lost: it was loaded, and Redis does not have it as a whole.');

export const listed = z
  .object({ number: z.string(), name: z.string(), department: z.string().optional() })
  .optional()
  .describe('As the list of participants has the user now.');

export const uneven = z
  .string()
  .describe('A sentence; present when the masters of the Redis Cluster get unequal numbers of the shards.');

export const rainParams = z.strictObject({ rainId });

/** A list is read, and nothing is changed. */
export const dryRun = z
  .literal('yes', 'expected yes')
  .optional()
  .describe('Answers what would be done, and changes nothing.');

export const understood = z
  .object({
    encoding: z.enum(['UTF-8', 'UTF-16', 'GB18030', 'Big5', 'XLSX']),
    sheet: z.string().optional().describe('Of a workbook.'),
    columns: z.record(z.string(), z.string()).describe('The columns that are read, by their names in the list.'),
    ignored: z.array(z.string()).describe('Names of other columns.'),
  })
  .describe('What was understood of the list.');

/** Page size. */
export function limit(most: number, usual = 100) {
  return z.coerce
    .number(`expected 1 to ${most}`)
    .int('expected a whole number')
    .min(1, `expected 1 to ${most}`)
    .max(most, `expected 1 to ${most}`)
    .default(usual);
}

/** Start of a page: the `next` of the previous page. */
export const EXPECTED_CURSOR = 'expected the `next` of the previous page';
export const cursor = z.string().min(1).max(512, EXPECTED_CURSOR).optional();
export const numericCursor = (most: number) =>
  cursor.refine((text = '0') => /^\d{1,18}$/.test(text) && Number(text) <= most, EXPECTED_CURSOR);

/** The reason for the audit log. The verb validates its length. */
export const reason = z.string('expected a reason');
export const forMs = z.number('expected milliseconds').optional().describe('Duration, ms. Absent: until it is lifted.');
