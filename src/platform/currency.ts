export const CURRENCY_DEFAULT = 'CNY';

/** Amounts have two decimals, and so must their currency. @param code ISO 4217, such as `EUR` */
export function isCurrency(code: string): boolean {
  return (
    /^[A-Z]{3}$/.test(code) &&
    Intl.supportedValuesOf('currency').includes(code) &&
    formatOf(code).resolvedOptions().maximumFractionDigits === 2
  );
}

/**
 * The sign before an amount: `¥`, `€`; a currency without a symbol of its own has its code, `CHF `. Unknown ones,
 * too.
 */
export function currencyUnit(code: string): string {
  const symbol = /^[A-Z]{3}$/.test(code)
    ? (formatOf(code)
        .formatToParts(0)
        .find(({ type }) => type === 'currency')?.value ?? code)
    : code;
  // A no-break space, or "CHF" would run into the amount.
  return /[A-Za-z]$/.test(symbol) ? `${symbol}\u00a0` : symbol;
}

function formatOf(code: string): Intl.NumberFormat {
  return new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' });
}
