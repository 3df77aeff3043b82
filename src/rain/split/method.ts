import type { RandomSource } from '../fairness.ts';
import type { Cents } from '../money.ts';
import type { Refusal } from '../refusal.ts';

/** What is split: so many cents into so many packets, each within the bounds. */
export interface Budget {
  budgetCents: Cents;
  packets: number;
  minCents: Cents;
  maxCents: Cents;
}

/** One text in every language of the operators' page. */
type Told = Readonly<Record<'en' | 'zh', string>>;

/** What one column of a row holds: a whole number from 1 of something, or an amount of money. */
export type Column = { readonly kind: 'whole'; readonly one: string; readonly many: string } | { readonly kind: 'amount' };
type Columns = Readonly<Record<string, Column>>;

interface AskedAs { whole: number; amount: string }
interface ReadAs { whole: number; amount: Cents }
/** A row as the operator asks for it: amounts are decimal strings. */
export type AskedRow<C extends Columns = Columns> = { [Name in keyof C]: AskedAs[C[Name]['kind']] };
/** The same row, its amounts in cents. */
export type ReadRow<C extends Columns = Columns> = { [Name in keyof C]: ReadAs[C[Name]['kind']] };

/** A list that a method asks for, such as the fixed prizes of `tiers`. Schema, command line and form are made from this. */
export interface Rows<Field extends string = string, C extends Columns = Columns> {
  /** Its name in the plan's `split`. */
  readonly field: Field;
  /** One row and several, in reasons: `expected at least one tier`. */
  readonly one: string;
  readonly many: string;
  readonly rowsMax: number;
  readonly columns: C;
  /** On the command line a row is one text, the columns in their order with an `x` between them; the option may be repeated. */
  readonly option: { readonly flag: string; readonly value: string; readonly example: string; readonly meaning: string };
  /** What the form says, and which row it begins with. */
  readonly form: {
    readonly title: Told;
    readonly add: Told;
    readonly remove: Told;
    readonly columns: { readonly [Name in keyof C]: Told };
    readonly first: { readonly [Name in keyof C]: string };
  };
}

interface Method<Name extends string> {
  /** As the plan names it, for good: it is in commitments. */
  readonly name: Name;
  /** What the form calls it. */
  readonly label: Told;
  /** How the amounts follow from the plan, for docs/reference/fairness-recipe.md: so exact that anybody can program it. */
  readonly recipe: string;
}

/** A method that needs nothing but the budget. Whatever fits the bounds can be split. */
export interface PlainMethod<Name extends string = string> extends Method<Name> {
  readonly rows?: undefined;
  /** How money that rolls over into such a rain is split. */
  readonly rest: 'itself' | PlainMethod;
  /** Writes every amount, in cents, in any order: they are shuffled afterwards. They must add up to the budget. */
  fill(amounts: BigInt64Array, budget: Budget, random: RandomSource): void;
}

/** A method that asks for a list as well. */
export interface RowsMethod<Name extends string = string, Field extends string = string, C extends Columns = Columns> extends Method<Name> {
  readonly rows: Rows<Field, C>;
  /** How money that rolls over into such a rain is split: it has no rows, so that another method does it. */
  readonly rest: PlainMethod;
  /** The reasons that `check` gives, as patterns, and what they are in Chinese. */
  readonly reasonsZh: readonly (readonly [RegExp, string])[];
  /** What is wrong with the rows, with figures; nothing, if `fill` can carry them out [R12]. */
  check(budget: Budget, rows: readonly ReadRow<C>[]): Refusal[];
  fill(amounts: BigInt64Array, budget: Budget, random: RandomSource, rows: readonly ReadRow<C>[]): void;
}

export type SplitMethod = PlainMethod | RowsMethod;

/** Only infers the types of a method from what is written. */
export function rowsMethod<const Name extends string, const Field extends string, const C extends Columns>(method: RowsMethod<Name, Field, C>): RowsMethod<Name, Field, C> {
  return method;
}
