import type { ParticipantImport } from '../state/responses.ts';
import { countText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';

const WORDS = bilingual(
  {
    read: (encoding: string, rows: string) =>
      `Read as ${encoding}: ${rows} rows. Please check them; nothing is changed yet.`,
    sheet: (name: string) => `Sheet “${name}”.`,
    ignored: 'Not read:',
    rows: 'First rows of the list',
  },
  {
    read: (encoding, rows) => `按 ${encoding} 读取，共 ${rows} 行。请核对；尚未作任何更改。`,
    sheet: (name) => `工作表“${name}”。`,
    ignored: '未读取的列：',
    rows: '名单的前几行',
  },
);

/** Shows how a list was understood, before anything is written. @param first rows, by column */
export function UnderstoodList({
  understood: { encoding, sheet, columns, ignored },
  rows,
  first,
}: {
  understood: ParticipantImport['understood'];
  rows: number;
  first: readonly Partial<Record<string, string>>[];
}) {
  const { words } = useWords(WORDS);
  const names = Object.entries(columns);
  return (
    <div data-testid="understood">
      <p role="status">
        {words.read(encoding, countText(rows))} {sheet !== undefined && words.sheet(sheet)}
      </p>
      <table aria-label={words.rows}>
        <thead>
          <tr>
            {names.map(([column, name]) => (
              <th key={column}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first.map((row, i) => (
            <tr key={i}>
              {names.map(([column]) => (
                <td key={column}>{row[column]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {ignored.length > 0 && (
        <p class="hint">
          {words.ignored} {ignored.join(', ')}
        </p>
      )}
    </div>
  );
}
