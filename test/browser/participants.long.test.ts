import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Download, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { reasonIn } from '../../client-console/src/words/refusals.ts';
import { importParticipants, renewParticipant } from '../../src/operator/participants.ts';
import { removeTheme, setTheme, setThemeFile } from '../../src/operator/themes.ts';
import { qrPath } from '../../src/platform/qrPath.ts';
import { pngOf } from '../support/png.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { isWiderThanScreen, setConsoleStage, soon } from './consoleStage.ts';
import { ACTIONS, goTo, LAPTOP, photograph } from './operator.ts';
import { PHONE } from './stage.ts';

const EVENT = 'Annual party of the north 北方大区年会';
const PLAYER_PAGE = 'https://party.example.com/rain/';
/** As wide as a page of A4 between its margins. */
const PAPER = { width: 718, height: 1_047 };
const CODE = /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/;
const LONGEST = 'Maximiliane Theodora von Hohenberg-Lilie';
const PEOPLE = [
  ['E1000', LONGEST, 'Research, development and quality'],
  ['E1001', '李安娜', '财务部'],
  ['E1002', 'Ben Wu', '=1+1'],
  ...Array.from({ length: 27 }, (_, i) => [
    `E${1_003 + i}`,
    `王小${String.fromCodePoint(0x4e00 + i)}`,
    i % 2 === 0 ? '市场部' : '',
  ]),
] as [string, string, string][];
/** With its byte order mark. */
const textOf = async (file: Download) => (await buffer(await file.createReadStream())).toString();
const listOf = (people: readonly (readonly string[])[], header = '工号,姓名,部门') =>
  [header, ...people.map((person) => person.map((cell) => `"${cell}"`).join(','))].join('\n');

describe.skipIf(WITHOUT_CHROMIUM)('the list of participants, on a real console', () => {
  const stage = setConsoleStage({ playerPage: PLAYER_PAGE, event: EVENT });
  const { open } = stage;
  const choose = (page: Page, list: string | Buffer, name = 'staff.csv') =>
    page.getByTestId('list').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(list as string) });
  const importText = async (page: Page, list: string) => {
    await choose(page, list);
    await page.getByTestId('import').click();
  };
  const row = (page: Page, number: string) => page.locator(`[data-number="${number}"]`);

  test('a list is imported, searched and changed', async () => {
    const { page, faults } = await open('opal', '#/participants');
    await soon(() => page.locator('.empty').textContent()).toContain('number, name and, if you like, department');
    await photograph(page, 'participants-none');
    await choose(page, listOf([...PEOPLE.slice(0, 2), ['E1002', '', '']]));
    await soon(() => page.getByRole('alert').textContent()).toMatch(/line 4, column name.*expected a name/);
    // 工号,姓名,备注 / E1001,王小明,x
    await choose(page, Buffer.from('b9a4bac52cd0d5c3fb2cb1b8d7a20a45313030312ccdf5d0a1c3f72c780a', 'hex'));
    await soon(() => page.getByTestId('understood').textContent()).toMatch(
      /Read as GB18030: 1 rows.*nothing is changed yet.*工号姓名E1001王小明Not read: 备注/,
    );
    expect(await findBarriers(page)).toEqual([]);
    await photograph(page, 'participants-understood');
    await soon(() => page.getByTestId('participant').count()).toBe(0);
    await importText(page, listOf(PEOPLE));
    await soon(() => page.getByTestId('imported').textContent()).toBe('30 added, 0 changed, 0 unchanged');
    await soon(() => page.getByTestId('participant-counts').textContent()).toBe(
      '30 participants on the list · 0 came in',
    );
    await soon(() => page.getByTestId('participant').count()).toBe(30);
    await importText(page, listOf([['E1001', '李安娜', '人事部'], ...PEOPLE.slice(2)]));
    await soon(() => page.getByTestId('imported').textContent()).toBe('0 added, 1 changed, 28 unchanged');
    await soon(() => row(page, 'E1001').textContent()).toContain('人事部');

    await page.getByTestId('search').fill('安娜');
    await soon(() => page.getByTestId('participant').count()).toBe(1);
    expect(await row(page, 'E1001').getByTestId('entered').textContent()).toBe('not yet');
    await row(page, 'E1001').getByTestId('renew').click();
    expect(await page.locator('dialog').textContent()).toContain('The old code ends at once');
    await page.getByTestId('act').click();
    await page.getByTestId('new-code').waitFor();
    const code = (await page.getByTestId('new-code').textContent())!;
    expect(code).toMatch(CODE);
    expect(await page.getByTestId('new-link').textContent()).toBe(`${PLAYER_PAGE}#code=${code.replace('-', '')}`);
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.getByTestId('new-card').getAttribute('href')).toBe('#/participants/cards/E1001');
    await photograph(page, 'participants-new-code');
    await page.getByTestId('act').click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(
      await stage.testConsole.ledger.enterByCode(stage.testConsole.signer.participantCodeKeys(code.replace('-', ''))),
    ).toMatchObject({ name: '李安娜' });
    await soon(() => page.getByTestId('participant-counts').textContent()).toBe(
      '30 participants on the list · 1 came in',
    );
    await soon(() => row(page, 'E1001').getByTestId('entered').textContent()).toMatch(/\d\d:\d\d:\d\d/);

    const renamed = listOf([['E1001', '李安', '人事部']]);
    await choose(page, renamed);
    await soon(() => page.getByRole('alert').textContent()).toContain('has come in as 李安娜');
    await page.getByTestId('rename').click();
    await page.getByTestId('import').click();
    await soon(() => page.getByTestId('imported').textContent()).toBe('0 added, 1 changed, 0 unchanged');
    expect(await page.getByTestId('no-codes').textContent()).toContain('--participants');

    await page.getByTestId('search').fill('nobody of this name');
    await soon(() => page.locator('.empty').textContent()).toContain('No such participant');
    await page.getByTestId('search').fill('');
    await row(page, 'E1029').getByTestId('remove').click();
    expect(await page.locator('dialog').textContent()).toContain('What was won stays');
    expect(await page.locator('dialog code').textContent()).toMatch(/^participant-E1029\//);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByTestId('act').click();
    await soon(() => page.getByTestId('participant').count()).toBe(29);
    expect(faults).toEqual([]);
  });

  test.each([
    { locale: 'en-GB', colorScheme: 'light', viewport: LAPTOP, print: 'Print', name: 'laptop' },
    { locale: 'zh-CN', colorScheme: 'dark', viewport: PHONE, print: '打印', name: 'phone' },
  ] as const)('everybody has a card with the code, on a $name and on paper', async ({ print, name, ...look }) => {
    const { page, faults } = await open('opal', '#/participants', look);
    await soon(() => page.getByTestId('participant').count()).toBe(29);
    expect([await isWiderThanScreen(page), await findBarriers(page)]).toEqual([false, []]);
    await photograph(page, `participants-${name}`);
    await page.getByTestId('to-cards').click();
    await soon(() => page.getByTestId('card').count()).toBe(29);
    expect([await page.getByTestId('qr-code').count(), await page.getByTestId('card-logo').count()]).toEqual([29, 0]);
    expect(await page.getByTestId('print').textContent()).toBe(print);
    const codes = await page.getByTestId('card-code').allTextContents();
    expect(new Set(codes).size).toBe(29);
    for (const code of codes) expect(code).toMatch(CODE);
    const first = page.getByTestId('card').first();
    expect(await first.textContent()).toContain(`${LONGEST}E1000 · Research`);
    expect(await first.textContent()).toContain('party.example.com/rain');
    expect(await first.getByTestId('card-event').textContent()).toBe(EVENT);
    expect(await first.locator('path').getAttribute('d')).toBe(
      qrPath(`${PLAYER_PAGE}#code=${codes[0]!.replace('-', '')}`).path,
    );
    expect([await isWiderThanScreen(page), await findBarriers(page)]).toEqual([false, []]);
    await photograph(page, `participant-cards-${name}`);

    const [file] = await Promise.all([page.waitForEvent('download'), page.getByTestId('cards-csv').click()]);
    const lines = (await textOf(file)).split('\r\n');
    expect([lines[0], lines.length]).toEqual(['\uFEFFnumber,name,department,code,link', 31]);
    expect(lines[3], 'no spreadsheet runs it').toBe(
      `E1002,Ben Wu,'=1+1,${codes[2]!},${PLAYER_PAGE}#code=${codes[2]!.replace('-', '')}`,
    );
    expect(lines[1]).toContain('"Research, development and quality"');

    await goTo(page, '#/participants/cards/e1002');
    await soon(() => page.getByTestId('card').allTextContents()).toEqual([expect.stringContaining('Ben Wu')]);
    await page.getByTestId('search').fill('');
    await soon(() => page.getByTestId('card').count()).toBe(29);

    await page.emulateMedia({ media: 'print' });
    for (const part of ['.side', 'h1', '[data-testid=search]', '[data-testid=print]'])
      expect(await page.locator(part).isVisible(), part).toBe(false);
    expect(
      await page
        .getByTestId('card')
        .first()
        .evaluate((card) => [
          getComputedStyle(card.querySelector('h2')!).color,
          getComputedStyle(document.body).backgroundColor,
        ]),
    ).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
    await page.setViewportSize(PAPER);
    await photograph(page, `participant-cards-${name}-print`);
    const isCut = (card: Element) =>
      ['.card-event', 'h2 + p', '.address', '[data-testid=card-code]', '.qr-code'].some(
        (part) => card.querySelector(part)!.getBoundingClientRect().bottom > card.getBoundingClientRect().bottom,
      );
    expect(await first.evaluate(isCut), 'a long name leaves the code its place').toBe(false);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g), 'ten cards on a page').toHaveLength(3);
    expect(faults).toEqual([]);
  });

  test.each([
    { locale: 'en-GB', colorScheme: 'light', viewport: LAPTOP, name: 'laptop' },
    { locale: 'zh-CN', colorScheme: 'dark', viewport: PHONE, name: 'phone' },
  ] as const)('the cards have the logo of the default theme, on a $name and on paper', async ({ name, ...look }) => {
    await setTheme(stage.testConsole, {
      id: 'gala',
      title: 'Gala',
      colours: { background: '#10264d' },
      isDefault: true,
    });
    for (const [size, width, height] of [
      ['wide', 900, 90],
      ['tall', 90, 300],
    ] as const) {
      await setThemeFile(stage.testConsole, 'gala', 'logo', pngOf(width, height, [255, 255, 255], [255, 209, 102]));
      const { page, faults } = await open('opal', '#/participants/cards', look);
      await soon(() => page.getByTestId('card-logo').count()).toBe(29);
      expect([await isWiderThanScreen(page), await findBarriers(page)]).toEqual([false, []]);
      await photograph(page, `participant-cards-logo-${size}-${name}`);
      await page.emulateMedia({ media: 'print' });
      await page.setViewportSize(PAPER);
      const first = page.getByTestId('card').first();
      const boxes = () =>
        first.evaluate((card) => {
          const { bottom, right } = card.getBoundingClientRect();
          const parts = [
            '.card-logo',
            '.card-event',
            'h2',
            'h2 + p',
            '.address',
            '[data-testid=card-code]',
            '.qr-code',
          ].map((part) => ({ part, box: card.querySelector(part)!.getBoundingClientRect() }));
          const { box: qr } = parts.at(-1)!;
          const [person, typed] = [
            card.querySelector('.person')!,
            card.querySelector('.typed')!.getBoundingClientRect(),
          ];
          return {
            cut: parts
              .filter(({ box }) => box.width === 0 || box.bottom > bottom || box.right > right)
              .map(({ part }) => part),
            over: parts
              .slice(0, -1)
              .filter(({ box }) => box.right > qr.left && box.bottom > qr.top && box.top < qr.bottom)
              .map(({ part }) => part),
            hidden: person.scrollHeight > person.clientHeight + 1,
            under: person.getBoundingClientRect().bottom > typed.top + 1,
            qrIsSquare: Math.abs(qr.width - qr.height) < 1,
            qrMm: Math.round((qr.width * 25.4) / 96),
          };
        });
      expect(await boxes()).toEqual({ cut: [], over: [], hidden: false, under: false, qrIsSquare: true, qrMm: 35 });
      await photograph(page, `participant-cards-logo-${size}-${name}-print`);
      expect(
        (await page.pdf({ preferCSSPageSize: true })).toString('latin1').match(/\/Type\s*\/Page\b/g),
        'ten cards on a page',
      ).toHaveLength(3);
      expect(faults).toEqual([]);
      // The next page of this window signs in again.
      await page.context().clearCookies();
    }
    await removeTheme(stage.testConsole, 'gala');
  });

  test('[R12] what is wrong with a list is told in Chinese, too', async () => {
    const lists = [
      '',
      'number,department',
      'number,name,name',
      'number,name',
      'number,name\nE 1,Ann',
      'number,name\nE1,',
      'number,name,department\nE1,Ann,…',
      'number,name\nE1,Ann\nE1,Ben',
      'number,name\nE1,Ann\ne1,Ann',
      'number,name\ne1002,Ann',
      'number,name\nE1001,Somebody else',
      'number,name\nE1',
      'number,name\n"E1,Ann',
      'number,name\nE"1,Ann',
      `number,name\n${Array.from({ length: 20_001 }, (_, i) => `E${i},Ann`).join('\n')}`,
    ];
    const answers = [
      ...(await Promise.all(
        [...lists.map((list) => Buffer.from(list)), Buffer.from('number,name\nE1,\xc0', 'latin1')].map((list) =>
          importParticipants(stage.testConsole, Readable.from([list])),
        ),
      )),
      await renewParticipant(stage.testConsole, 'nobody'),
    ];
    for (const [i, answer] of answers.entries()) {
      if (answer.ok) throw new Error(`${i} was not refused`);
      for (const { reason } of answer.refusals)
        expect(reasonIn('zh', reason), reason).toMatch(/^[^a-z]*[\u4e00-\u9fff]/);
    }
  });

  test('a viewer sees the list, and neither codes nor a button that changes something', async () => {
    const { page, faults } = await open('vera', '#/participants');
    await soon(() => page.getByTestId('participant').count()).toBe(29);
    for (const part of [
      ACTIONS,
      '[data-testid=renew]',
      '[data-testid=remove]',
      '[data-testid=list]',
      '[data-testid=to-cards]',
    ])
      expect(await page.locator(part).count(), part).toBe(0);
    await goTo(page, '#/participants/cards');
    expect(await page.locator('main').textContent()).toContain('Only operators may see the codes');
    expect(await page.locator(`${ACTIONS}, [data-testid=card], .refused-box`).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test(
    'a code of another secret is to be renewed; many cards say how many pages they are, and too many are only downloaded',
    { timeout: 120_000 },
    async () => {
      const add = async (from: number, to: number) =>
        stage.testConsole.ledger.importParticipants(
          Array.from({ length: to - from }, (_, i) => ({
            number: `N${from + i}`,
            name: `Name ${from + i}`,
            userId: `participant-N${from + i}/Name`,
            codeSalt: 0,
            codeKey: `unknown-${from + i}`,
          })),
          'test',
        );
      await add(0, 2);
      const { page } = await open('opal', '#/participants/cards');
      await soon(() => page.getByTestId('card-renew').count()).toBe(2);
      expect(await page.getByTestId('outdated').textContent()).toContain('2 cards have no code');
      expect(await findBarriers(page)).toEqual([]);
      await add(2, 572);
      await page.reload();
      await soon(() => page.getByTestId('pages').textContent()).toBe('601 cards: 61 pages of A4.');
      await soon(() => page.getByTestId('card').count()).toBe(601);
      await add(572, 1_972);
      await page.reload();
      await soon(() => page.getByTestId('too-many').textContent()).toContain('More than 2,000 cards');
      expect(await page.locator('[data-testid=card], [data-testid=print]').count()).toBe(0);
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByTestId('cards-csv').click()]);
      expect((await textOf(file)).trim().split('\r\n')).toHaveLength(2_002);
      await goTo(page, '#/participants');
      await page.getByTestId('remove-all').click();
      await page.getByTestId('act').click();
      await soon(() => page.locator('.empty').textContent()).toContain('Nobody is on the list');
    },
  );
});
