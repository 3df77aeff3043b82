import { doubleMean } from './double-mean.ts';
import { even } from './even.ts';
import type { RequestedRow, PlainMethod, RowsMethod, SplitMethod } from './method.ts';
import { tiers } from './tiers.ts';

/**
 * The split methods, in display order. To add one: its file here (`PlainMethod`, or `RowsMethod` with a list of rows),
 * its name at the end of the list below, an example in test/rain/split/examples.ts (`recorded` is what the first
 * failure shows), a plan at the end of those in test/rain/position.test.ts, and its name in the glossary; then `npm run
 * docs`. Command line, forms, requests, roll-over and verifiers follow by themselves.
 */
export const METHODS = [doubleMean, tiers, even] as const;

export type MethodName = (typeof METHODS)[number]['name'];

/** The method of a plan without `split`. It is part of the recipe of every such plan and never changes. */
export const DEFAULT_METHOD = doubleMean;

type SplitBy<M> =
  M extends RowsMethod<infer Name, infer Field, infer C>
    ? { method: Name } & { [F in Field]: RequestedRow<C>[] }
    : M extends PlainMethod<infer Name>
      ? { method: Name }
      : never;

/** A plan's `split`, as requested. */
export type Split = SplitBy<(typeof METHODS)[number]>;

export const METHOD_NAMES: readonly MethodName[] = METHODS.map(({ name }) => name);

/** `a, b or c` */
export const METHODS_IN_WORDS = METHOD_NAMES.join(', ').replace(/, ([^,]*)$/, ' or $1');

export function methodNamed(name: MethodName): SplitMethod {
  return METHODS.find((method) => method.name === name)!;
}

/** The method of a `split` from elsewhere, perhaps from a newer version; `undefined`: unknown to this version. */
export function methodOf(split: unknown): SplitMethod | undefined {
  if (split === undefined) return DEFAULT_METHOD;
  const { method } = Object(split) as { method?: unknown };
  return METHODS.find(({ name }) => name === method);
}

/** The method for money that rolls over into a rain of this method. */
export function restOf(method: SplitMethod): PlainMethod {
  if (method.rows) return restOf(method.rest);
  return method.rest === 'itself' ? method : restOf(method.rest);
}
