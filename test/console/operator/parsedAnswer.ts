import { expect } from 'vitest';
import type { z } from 'zod';
import type { Answered } from '../../support/servers/testConsole.ts';

/** The answer parsed by the contract: unknown fields are dropped, missing ones fail. */
export function parsedAnswer<A extends z.ZodType>(schema: A | undefined, { status, body }: Answered): z.output<A> {
  expect([status, body], JSON.stringify(body)).toEqual([expect.toBeOneOf([200, 201]) as number, body]);
  return schema!.parse(body);
}
