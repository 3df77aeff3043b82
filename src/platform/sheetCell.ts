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

/**
 * Text of a cell, with an apostrophe before whatever a spreadsheet would run as a formula. Different texts stay
 * different.
 */
export function toCell(text: string): string {
  return text.replace(TO_MARK, "'");
}

/** The text that `toCell` was given. */
export function fromCell(cell: string): string {
  return cell.replace(MARKED, '');
}
