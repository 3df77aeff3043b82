const SIGN = String.raw`=+\-@\uff1d\uff0b\uff0d\uff20`;
/**
 * Where a formula may begin. A spreadsheet may split at any of these separators, whatever separates the columns of the
 * file, and drops quotes there.
 */
const AT_START = String.raw`(?<=(?:^|[;,|\t\r\n])[\s"]*)`;
/**
 * The first character is looked at first: a search back at every one of many spaces would take the square of their
 * number.
 */
const TO_MARK = new RegExp(`(?=['${SIGN}])${AT_START}(?='*[${SIGN}])`, 'gu');
const MARKED = new RegExp(`(?=')${AT_START}'(?='*[${SIGN}])`, 'gu');
/** A spreadsheet shows `00124` as 124, `13800000000001` as 1.38E+13, loses digits after the 15th, and takes `1e5` as 100000. */
const SHORTENED = /^(0\d+|\d{12,}|\d+e\d+)$/i;
/** A text that a spreadsheet keeps as it is. */
const KEPT = /^="([0-9A-Za-z]*)"$/;

/**
 * Text of a cell, with an apostrophe before whatever a spreadsheet would run as a formula. Different texts stay
 * different.
 */
export function toCell(text: string): string {
  return text.replace(TO_MARK, "'");
}

/** The same for a spreadsheet, which would shorten long numbers and drop leading zeros: `="00124"` keeps them. */
export function toSpreadsheetCell(text: string): string {
  return SHORTENED.test(text) ? `="${text}"` : toCell(text);
}

/** The text that `toCell` or `toSpreadsheetCell` was given. */
export function fromCell(cell: string): string {
  return KEPT.exec(cell)?.[1] ?? cell.replace(MARKED, '');
}
