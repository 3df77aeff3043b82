import { doubleMean } from './double-mean.ts';
import { even } from './even.ts';
import type { AskedRow, PlainMethod, RowsMethod, SplitMethod } from './method.ts';
import { tiers } from './tiers.ts';

/**
 * The ways to split a budget, in the order in which people are offered them. Command line, form, checks, documents and tests go
 * through this list. To add one: its file here (`PlainMethod`, or `RowsMethod` where it asks for rows), its name below, an example in
 * test/rain/split/examples.ts (`recorded` is what the first failure shows) and a plan in test/rain/position.test.ts; `npm run docs`.
 */
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
