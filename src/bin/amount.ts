/**
 * An amount as it is typed: `600` is `600.00`. Everything else stays as it came, and the command that takes it says what it expected.
 */
export function typedAmount(text: string): string {
  return /^(0|[1-9]\d*)$/.test(text) ? `${text}.00` : text;
}
