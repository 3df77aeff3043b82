/**
 * Money: integer cents as `bigint` in code and database, a decimal string with two digits (`"12.21"`) everywhere else.
 * No function here rounds: what is not a whole number of cents is not money.
 */
export type Cents = bigint;

/** The largest exact JavaScript integer; every budget must stay below it. */
export const CENTS_MAX: Cents = 2n ** 53n - 1n;

const MONEY = /^(0|[1-9]\d{0,13})\.(\d\d)$/;

/** `"12.21"` → `1221n`. Exactly two decimals, no sign, no spaces; anything else → `undefined`. */
export function parseMoney(text: string): Cents | undefined {
  const match = MONEY.exec(text);
  return match ? BigInt(match[1]! + match[2]!) : undefined;
}

/** `1221n` → `"12.21"`, `-5n` → `"-0.05"`. */
export function formatMoney(cents: Cents): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `"8888.00"` → `"8,888.00"`, for people. As text, so that it stays exact. */
export function groupDigits(amount: string): string {
  return amount.replace(/\d(?=(\d{3})+(\.|$))/g, '$&,');
}
