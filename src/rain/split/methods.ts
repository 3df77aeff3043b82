import { doubleMean } from './double-mean.ts';
import { even } from './even.ts';
import type { AskedRow, PlainMethod, RowsMethod, SplitMethod } from './method.ts';
import { tiers } from './tiers.ts';

/** THE list of the ways to split a budget, in the order in which people are offered them: everything that asks, checks, fills, shows or documents them goes through it. */
export const METHODS = [doubleMean, tiers, even] as const;

export type MethodName = (typeof METHODS)[number]['name'];

/** How a plan that does not say is split; part of the recipe of every such plan, for good. */
export const DEFAULT_METHOD = doubleMean;

type SplitBy<M> =
  M extends RowsMethod<infer Name, infer Field, infer C> ? { method: Name } & { [F in Field]: AskedRow<C>[] }
    : M extends PlainMethod<infer Name> ? { method: Name } : never;

/** A plan's `split`, as it is asked for. */
export type Split = SplitBy<(typeof METHODS)[number]>;

export const METHOD_NAMES: readonly MethodName[] = METHODS.map(({ name }) => name);

/** `a, b or c` */
export const METHODS_IN_WORDS = METHOD_NAMES.join(', ').replace(/, ([^,]*)$/, ' or $1');

export function methodNamed(name: MethodName): SplitMethod {
  return METHODS.find((method) => method.name === name)!;
}

/** The method of a `split` that was written elsewhere, perhaps by a newer version; `undefined`: this version does not know it. */
export function methodOf(split: unknown): SplitMethod | undefined {
  if (split === undefined) return DEFAULT_METHOD;
  const { method } = Object(split) as { method?: unknown };
  return METHODS.find(({ name }) => name === method);
}

/** How money that rolls over into a rain of this method is split. */
export function restOf(method: SplitMethod): PlainMethod {
  if (method.rows) return restOf(method.rest);
  return method.rest === 'itself' ? method : restOf(method.rest);
}
