import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { writeXlsx, type CellValue } from 'hucre';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { unpackedBytes } from '../../src/operator/lists/workbookThread.ts';
import { readStatement } from '../../src/operator/reconcile/statement.ts';
import { readWinners } from '../../src/operator/restore/winnersFile.ts';
import { sheetOf, type SheetReader } from '../../src/operator/sheet.ts';
import { openList } from '../../src/operator/sheetReader.ts';
import { SheetRefused } from '../../src/operator/sheetRefused.ts';
import { names, NUMBER_NAMES, participantNumber } from '../../src/operator/lists/columns.ts';
import { userId } from '../../src/rain/ids.ts';

const PEOPLE = {
  cells: z.object({
    number: participantNumber,
    name: z.string().min(1, 'expected a name'),
    department: z.string().optional(),
  }),
  aliases: { ...NUMBER_NAMES, ...names('name', '姓名'), ...names('department', '部门', '部門') },
  expected: 'expected a header line',
};
const USERS = {
  cells: z.object({ user: userId }),
  aliases: names('user', 'userid'),
  expected: 'expected a header line',
};

async function read(bytes: Buffer | string, form: typeof PEOPLE = PEOPLE) {
  const { understood, rows } = await openList(Readable.from([Buffer.from(bytes as Buffer)]), form);
  const people = [];
  for await (const { line, cells } of rows) people.push([line, ...Object.values(cells)]);
  return { ...understood, people };
}
const refusal = async (bytes: Buffer | string) =>
  read(bytes).then(
    () => 'it was read',
    (error: unknown) => (error instanceof SheetRefused ? error.message : error),
  );

/** 工号,姓名,部门 / E1,王小明,市场 */
const GBK = 'b9a4bac52cd0d5c3fb2cb2bfc3c50a45312ccdf5d0a1c3f72ccad0b3a1';
/** 工號,姓名,部門 / E1,王小明,市場 */
const BIG5 = 'a475b8b92ca96da6572cb3a1aaf90a45312ca4fda470a9fa2ca5abb3f5';
const ANNA = [[2, 'E1', '王小明', '市场']];

test.each([
  ['UTF-8', Buffer.from('工号,姓名,部门\nE1,王小明,市场\n'), ANNA],
  ['UTF-8', Buffer.from('\ufeff工号,姓名,部门\r\nE1,王小明,市场'), ANNA],
  ['UTF-16', Buffer.from('\ufeff工号\t姓名\t部门\r\nE1\t王小明\t市场\r\n', 'utf16le'), ANNA],
  ['UTF-16', Buffer.from('number,name\nE1,Ann\n', 'utf16le'), [[2, 'E1', 'Ann']]],
  ['UTF-16', Buffer.from('\ufeff工号,姓名,部门\nE1,王小明,市场', 'utf16le').swap16(), ANNA],
  ['GB18030', Buffer.from(GBK, 'hex'), ANNA],
  ['Big5', Buffer.from(BIG5, 'hex'), [[2, 'E1', '王小明', '市場']]],
  [
    'GB18030',
    Buffer.from(`${Buffer.from('number,name\nE1,').toString('hex')}cdf5d0a1c3f7`, 'hex'),
    [[2, 'E1', '王小明']],
  ],
] as const)('a list in %s is read as it was written', async (encoding, bytes, people) => {
  expect(await read(bytes)).toMatchObject({ encoding, people });
});

test('[R12] a text whose encoding is in doubt is refused with its line', async () => {
  for (const [bytes, line] of [
    [Buffer.from('number,name\nE1,Ann\nE2,M\u00fcller\n', 'latin1'), 3],
    [Buffer.concat([Buffer.from('number,name\n'), Buffer.from('E1,\0\n')]), 2],
    // Big5, and no Chinese name of a column that would tell.
    [Buffer.concat([Buffer.from('number,name\nE1,'), Buffer.from('a4fda470a9fa', 'hex')]), 2],
  ] as const)
    expect(await refusal(bytes)).toMatch(new RegExp(`^line ${line}: the encoding of this text is in doubt`));
});

test('a list as an office has it is read: rows cut short, empty ones at the end, sep=, tabs, formulas, full-width digits', async () => {
  for (const [list, people] of [
    ['员工编号,姓名,部门\nE1,Ann\n,,\n,,\n', [[2, 'E1', 'Ann']]],
    ['sep=;\n工號;姓 名;部門\nE1;Ann;Sales\n', [[3, 'E1', 'Ann', 'Sales']]],
    ['工号\t备注\t姓名\t部门\nE1\t\t Ann, Bob\t\n\t\t \t\n', [[2, 'E1', 'Ann, Bob']]],
    [
      'number,name\n="00124",Ann\n"=""00125""",Bob\n',
      [
        [2, '00124', 'Ann'],
        [3, '00125', 'Bob'],
      ],
    ],
    ['number,name\n００１２４,Ann\n', [[2, '00124', 'Ann']]],
    ['number,name\n研发-001,Ann\n', [[2, '研发-001', 'Ann']]],
    ['number,name\n"E1","Li ""A"" ="\n', [[2, 'E1', 'Li "A" =']]],
    ['备注,工号,姓名\nx,E1,Ann\n', [[2, 'E1', 'Ann']]],
  ] as const)
    expect((await read(list)).people, list).toEqual(people);
});

test('[R12] rows that are in doubt are refused by line and column', async () => {
  for (const [list, expected] of [
    [
      'number,name\nA/1,Ann\n',
      'line 2, column number: expected 1 to 32 letters, digits, _ . or -; write - in place of /',
    ],
    [
      'number,name\nE1,Ann\n1.38E+10,Bob\n',
      'line 3, column number: the spreadsheet has made a date or a shortened number',
    ],
    ['number,name\nE1,Ann,Sales\n', 'line 2: expected no more cells than the header has'],
    ['number,name\nE1,"Ann\nE2,Bob\n', 'line 3: expected every quote to be closed'],
    ['sep=;\nname;x\nAnn;1\n', 'line 2, column number: missing'],
    ['工号,员工编号,姓名\n1,2,Ann\n', 'line 1, column number: it occurs twice'],
    [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'list: this is a workbook of an older kind'],
  ] as const)
    expect(await refusal(list as string), String(list)).toContain(expected);
});

const workbook = async (rows: CellValue[][], more = {}) =>
  Buffer.from(await writeXlsx({ sheets: [{ name: 'Staff', rows, ...more }] }));

test('a workbook is read as its sheet shows it; a date or a number without its last digits is refused', async () => {
  const shown = await writeXlsx({
    sheets: [
      { name: 'hidden', hidden: true, rows: [['x']] },
      {
        name: 'Staff',
        columns: [
          { header: '工号', key: 'n', numFmt: '00000' },
          { header: '姓名', key: 'm' },
          { header: '电话', key: 'p' },
        ],
        data: [{ n: 124, m: '王小明', p: 13_800_000_000 }, {}, { n: 7, m: 'Ann' }],
      },
    ],
  });
  expect(await read(Buffer.from(shown))).toMatchObject({
    encoding: 'XLSX',
    sheet: 'Staff',
    columns: { number: '工号', name: '姓名' },
    ignored: ['电话'],
    people: [
      [2, '00124', '王小明'],
      [4, '00007', 'Ann'],
    ],
  });
  for (const cell of [new Date(), 1_234_567_890_123_456])
    expect(
      await refusal(
        await workbook([
          ['number', 'name'],
          [cell, 'Ann'],
        ]),
      ),
    ).toContain('line 2, column number: the spreadsheet');
});

test('[R10] a workbook that unpacks to very much, or does not say how much, is refused unread', async () => {
  const bytes = await workbook([
    ['number', 'name'],
    ['E1', 'Ann'],
  ]);
  expect(unpackedBytes(bytes)).toBeGreaterThan(1_000);
  const entry = bytes.indexOf(Buffer.from('504b0102', 'hex'));
  for (const size of [0, 200_000_000, 0xffffffff]) {
    const bomb = Buffer.from(bytes);
    bomb.writeUInt32LE(size, entry + 24);
    expect(await refusal(bomb)).toContain('list: expected a workbook');
  }
  for (const end of [4, 40, bytes.length - 30])
    expect(await refusal(bytes.subarray(0, end))).toContain('list: expected a workbook');
});

const anyId = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc
      .array(fc.constantFrom("'", '=', '+', '@', ';', ' ', '"', ',', '0', '12', '8613800000001', 'E', '\u3000', '王'), {
        maxLength: 6,
      })
      .map((parts) => parts.join('')),
  )
  .filter((id) => userId.safeParse(id).success);

test.each(['spreadsheet', 'plain'] as const)(
  'every user of a list that we wrote for a %s is read back by each of its readers',
  async (reader: SheetReader) => {
    const sheet = (columns: string[], rows: object[]) =>
      text(
        sheetOf(
          (async function* all() {
            yield* rows;
          })(),
          columns,
          reader,
        ),
      );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(anyId, { minLength: 1, maxLength: 5 }), async (users) => {
        const winners = users.map((user, i) => ({
          redPacketId: `rain-${i}`,
          userId: user,
          amount: '1.00',
          at: '2026-12-31T20:00:00.000Z',
        }));
        const csv = await sheet(['redPacketId', 'userId', 'amount', 'at'], winners);
        const { rows } = await openList(Readable.from([Buffer.from(csv)]), USERS);
        const excluded = [];
        for await (const { cells } of rows) excluded.push(cells.user);
        expect(excluded).toEqual(users);
        const imported = readWinners(csv, 'rain');
        expect(imported.ok && imported.winners.map((winner) => winner.userId)).toEqual(users);
        const statement = await sheet(
          ['id', 'amount', 'time', 'user'],
          winners.map(({ redPacketId: id, amount, at: time, userId: user }) => ({ id, amount, time, user })),
        );
        const paid = [];
        for await (const row of readStatement(Readable.from([Buffer.from(statement)]))) paid.push(row.userId);
        expect(paid).toEqual(users);
      }),
      { numRuns: 300 },
    );
  },
);

test('a spreadsheet keeps long numbers and leading zeros of a list that we write, and sums up its amounts', async () => {
  const rows = [
    { user: '13800000000000001', number: '00124', amount: '12.21' },
    { user: '+86', number: '1e5', amount: '1.00' },
  ];
  const sheet = (reader: SheetReader) =>
    text(
      sheetOf(
        (async function* all() {
          yield* rows;
        })(),
        ['user', 'number', 'amount'],
        reader,
      ),
    );
  expect(await sheet('spreadsheet')).toBe(
    `user,number,amount\r\n"=""13800000000000001""","=""00124""",12.21\r\n'+86,"=""1e5""",1.00\r\n`,
  );
  expect(await sheet('plain')).toBe("user,number,amount\n13800000000000001,00124,12.21\n'+86,1e5,1.00\n");
});
