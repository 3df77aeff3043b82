import type { RandomSource } from '../fairness.ts';
import { figure } from '../figures.ts';
import { formatMoney, type Cents } from '../money.ts';
import type { Refusal } from '../refusal.ts';

/** The money to split, the number of packets, and the bounds of each. */
export interface Budget {
  budgetCents: Cents;
  packets: number;
  minCents: Cents;
  maxCents: Cents;
}

/** One text in each language of the console. */
type Localized = Readonly<Record<'en' | 'zh', string>>;

/** The type of a column: a whole number from 1, or an amount of money. */
export type Column =
  | { readonly kind: 'whole'; readonly one: string; readonly many: string }
  | { readonly kind: 'amount' };
type Columns = Readonly<Record<string, Column>>;

type RowOf<C extends Columns, Amount> = { [Name in keyof C]: { whole: number; amount: Amount }[C[Name]['kind']] };
/** A row as the operator requests it: amounts are decimal strings. */
export type RequestedRow<C extends Columns = Columns> = RowOf<C, string>;
/** The parsed row, its amounts in cents. */
export type ReadRow<C extends Columns = Columns> = RowOf<C, Cents>;

/** A list that a method needs, such as the fixed prizes of `tiers`. Schema, command line and form are built from it. */
export interface Rows<Field extends string = string, C extends Columns = Columns> {
  /** Its name in the plan's `split`. */
  readonly field: Field;
  /** Singular and plural of a row, used in reasons: `expected at least one prize`. */
  readonly one: string;
  readonly many: string;
  readonly rowsMax: number;
  readonly columns: C;
  /** On the command line a row is one text, its columns separated by `x`; the option may be repeated. */
  readonly option: {
    readonly flag: string;
    readonly value: string;
    readonly example: string;
    readonly meaning: string;
  };
  /** Texts of the form, and its first row. */
  readonly form: Readonly<Record<'title' | 'add' | 'remove', Localized>> & {
    readonly columns: { readonly [Name in keyof C]: Localized };
    readonly first: { readonly [Name in keyof C]: string };
  };
}

interface Method<Name extends string> {
  /** Its name in the plan. It never changes, since commitments contain it. */
  readonly name: Name;
  readonly label: Localized;
  /** How to compute the amounts from the plan, for docs/reference/fairness-recipe.md: exact enough to program it. */
  readonly recipe: string;
}

/** A method that needs only the budget. It can split any budget that fits the bounds. */
export interface PlainMethod<Name extends string = string> extends Method<Name> {
  readonly rows?: undefined;
  /** The method for money that rolls over into such a rain. */
  readonly rest: 'itself' | PlainMethod;
  /** Writes all amounts, in cents, in any order: they are shuffled afterwards. They must sum to the budget. */
  fill(amounts: BigInt64Array, budget: Budget, random: RandomSource): void;
}

/** A method that also needs a list. */
export interface RowsMethod<
  Name extends string = string,
  Field extends string = string,
  C extends Columns = Columns,
> extends Method<Name> {
  readonly rows: Rows<Field, C>;
  /** The method for money that rolls over into such a rain: it has no rows, so another method is needed. */
  readonly rest: PlainMethod;
  /** Patterns of the reasons that `check` gives, with their Chinese texts. */
  readonly reasonsZh: readonly (readonly [RegExp, string])[];
  /** Problems of the rows, with figures; none when `fill` can execute them [R12]. */
  check(budget: Budget, rows: readonly ReadRow<C>[]): Refusal[];
  fill(amounts: BigInt64Array, budget: Budget, random: RandomSource, rows: readonly ReadRow<C>[]): void;
}

export type SplitMethod = PlainMethod | RowsMethod;

/** Infers the types of a method from its definition. */
export function rowsMethod<const Name extends string, const Field extends string, const C extends Columns>(
  method: RowsMethod<Name, Field, C>,
): RowsMethod<Name, Field, C> {
  return method;
}

/**
 * Checks whether these packets within [min, max] can hold exactly this money.
 * @param whose the name of the money in the reason
 */
export function shareRefusals(
  { budgetCents, packets, minCents, maxCents }: Budget,
  field: string,
  whose: string,
): Refusal[] {
  const least = BigInt(packets) * minCents;
  const most = BigInt(packets) * maxCents;
  const noun = packets === 1 ? 'packet' : 'packets';
  const refusals: Refusal[] = [];
  const refuse = (bound: string, than: string) =>
    refusals.push({
      field,
      reason: `${figure(packets)} ${noun} of ${bound}, ${than} than ${whose} ${formatMoney(budgetCents)}`,
    });
  if (least > budgetCents) refuse(`at least ${formatMoney(minCents)} would take ${formatMoney(least)}`, 'more');
  if (most < budgetCents) refuse(`at most ${formatMoney(maxCents)} can hold ${formatMoney(most)}`, 'less');
  return refusals;
}
