import { formatValue, readXlsx } from 'hucre';

/** A row of a workbook. A cell that is `null` has no text that is sure: a date, a fault, a number without its last digits. */
export interface WorkbookRow {
  line: number;
  cells: (string | null)[];
}

export interface ReadWorkbook {
  sheet: string;
  rows: WorkbookRow[];
}

/** A number of a spreadsheet has so many digits that are true. */
const EXACT_BELOW = 1e15;

/** The first sheet of an .xlsx that is not hidden, as its reader sees the cells. */
export async function readWorkbook(bytes: Uint8Array): Promise<ReadWorkbook> {
  let isFirst = true;
  const { sheets } = await readXlsx(bytes, {
    readStyles: true,
    sheets: ({ hidden, veryHidden }) => {
      const chosen = isFirst && !hidden && !veryHidden;
      if (chosen) isFirst = false;
      return chosen;
    },
  });
  const [sheet] = sheets;
  if (!sheet) throw new Error('it has no sheet that is shown');
  return {
    sheet: sheet.name,
    rows: sheet.rows.map((row, i) => ({
      line: i + 1,
      cells: row.map((value, column) => {
        const { type, style } = sheet.cells?.get(`${i},${column}`) ?? {};
        return type === 'error' ? null : textOf(value, style?.numFmt);
      }),
    })),
  };
}

function textOf(value: unknown, format: string | undefined): string | null {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value !== 'number' || Math.abs(value) >= EXACT_BELOW) return null;
  // 124 that is shown as 00124. Other formats, such as 1,234, are of no number that people have.
  return format !== undefined && /^0+$/.test(format) ? formatValue(value, format) : String(value);
}
