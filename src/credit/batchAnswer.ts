import { z } from 'zod';
import { readJson } from '../rain/json.ts';

/** How another system answers one entry of a batch: done by this request, done before, never, not now. */
export const RESULT_STATUSES = ['done', 'already', 'refused', 'retry'] as const;

interface BatchResult {
  status: (typeof RESULT_STATUSES)[number];
  reason?: string | undefined;
}

/** Some languages begin every text with a byte order mark, which JSON does not know. */
export const readAnswer = (text: string): unknown => readJson(text.replace(/^\uFEFF/, ''));

const batchAnswer = z.object({ results: z.array(z.unknown()) });

/**
 * The results of a batch by id; `undefined`: not a valid answer. An unreadable result counts as missing, and two
 * contradicting results count as unknown: the entry is sent again.
 * @param toResult `undefined`: unreadable
 */
export function readBatchAnswer<Result extends BatchResult>(
  text: string,
  toResult: (value: unknown) => Result | undefined,
  idOf: (result: Result) => string,
): Map<string, Result> | undefined {
  const parsed = batchAnswer.safeParse(readAnswer(text));
  if (!parsed.success) return undefined;
  const content = ({ reason: _, ...rest }: Result) => JSON.stringify(rest);
  const results = new Map<string, Result>();
  for (const value of parsed.data.results) {
    const result = toResult(value);
    if (!result) continue;
    const other = results.get(idOf(result));
    const contradicts = other && content(other) !== content(result);
    results.set(
      idOf(result),
      contradicts
        ? { ...result, status: 'retry', reason: `answered both ${other.status} and ${result.status}` }
        : result,
    );
  }
  return results;
}
