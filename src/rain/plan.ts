import { z } from 'zod';
import type { Budget, Column, ReadRow, SplitMethod } from './split/method.ts';
import { DEFAULT_METHOD, METHODS, METHODS_IN_WORDS, type MethodName, type Split } from './split/methods.ts';

export const PACKETS_MAX = 5_000_000;

/** Longer than any amount; the content is checked by `checkPlan`, which can answer with figures. */
const amountText = z
  .string('expected an amount as text, such as "12.21"')
  .max(32, 'expected an amount such as "12.21"');

function columnOf(column: Column): z.ZodType {
  switch (column.kind) {
    case 'whole':
      return z.int(`expected a whole number of ${column.many}`).min(1, `expected at least 1 ${column.one}`);
    case 'amount':
      return amountText;
    default:
      return column satisfies never;
  }
}

function schemaOf({ name, rows }: SplitMethod) {
  const method = z.literal(name);
  if (!rows) return z.strictObject({ method });
  const row = z.strictObject(
    Object.fromEntries(Object.entries(rows.columns).map(([column, what]) => [column, columnOf(what)])),
  );
  return z.strictObject({
    method,
    [rows.field]: z
      .array(row)
      .min(1, `expected at least one ${rows.one}`)
      .max(rows.rowsMax, `expected at most ${rows.rowsMax} ${rows.many}`),
  });
}

const [first, ...others] = METHODS.map(schemaOf);
/** Type and schema are built from the same list, which TypeScript cannot infer. */
const split = z.discriminatedUnion(
  'method',
  [first!, ...others],
  `expected the method ${METHODS_IN_WORDS}`,
) as unknown as z.ZodType<Split, Split>;

/**
 * The plan that an operator requests. Amounts are decimal strings; `max` defaults to the budget. Checked by
 * `checkPlan`.
 */
export const rainPlan = z.strictObject(
  {
    budget: amountText,
    packets: z.number('expected a number of packets'),
    split: split.default({ method: DEFAULT_METHOD.name }),
    min: amountText.default('0.01'),
    max: amountText.optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'expected an object with budget and packets' : undefined) },
);
export type RainPlan = z.input<typeof rainPlan>;

/** A revealed plan, perhaps of a newer version: it is passed on unchanged and checked by `checkPlan`. */
export const shownPlan = z.record(z.string(), z.unknown());
export type ShownPlan = Readonly<Record<string, unknown>>;

/** A plan that is feasible to the cent; only `checkPlan` creates one. */
export interface CheckedPlan extends Budget {
  split: { method: MethodName; rows: readonly ReadRow[] };
}
