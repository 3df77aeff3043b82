/** A whole number gets its cents: `600` is `600.00`. Other text stays unchanged, and the command that takes it reports what it expected. */
export function typedAmount(text: string): string {
  return /^(0|[1-9]\d*)$/.test(text) ? `${text}.00` : text;
}
