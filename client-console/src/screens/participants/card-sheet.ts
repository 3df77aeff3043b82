import type { ParticipantCard } from '../../state/responses.ts';
import { groupCode } from '../../../../src/platform/auth/typedCode.ts';
import { toSpreadsheetCell } from '../../../../src/platform/sheetCell.ts';

const COLUMNS = ['number', 'name', 'department', 'code', 'link'];
/** Spreadsheets recognize UTF-8 by the byte order mark. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The cards as CSV, for a letter or a mail to each participant. @param linkOf the personal link of a code */
export function cardSheet(cards: readonly ParticipantCard[], linkOf: (code: string) => string): string {
  const rows = cards.map(({ number, name, department = '', code }) => [
    number,
    name,
    department,
    ...(code === undefined ? ['', ''] : [groupCode(code), linkOf(code)]),
  ]);
  return BYTE_ORDER_MARK + [COLUMNS, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const harmless = toSpreadsheetCell(text);
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
