import { chromium, type Browser, type Page } from 'playwright-core';
import { blockCaller } from '../../../src/operator/block.ts';
import { CHROMIUM_ARGS, findChromium } from '../../browser/findChromium.ts';
import { tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { ask } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import type { Scene, SignedInAs } from '../scene.ts';

/** Each would run in a page that takes it for markup. */
const TITLE = '</title><script>attacked=1</script>"><img src=x onerror=attacked=1>';
const USER = '<img src=x onerror="attacked=1;alert(document.domain)">';
const ITEM = `'"><svg onload=attacked=1><iframe srcdoc="<script>top.attacked=1</script>">`;
const REASON =
  '<a href="javascript:attacked=1" onmouseover=attacked=1 autofocus onfocus=attacked=1>{{constructor.constructor("alert(1)")()}}${alert(1)}';
/** Effects that only a text that was read as markup could bring into the page. */
const INJECTED =
  'img[src="x"], svg[onload], iframe, object, embed, base, [onerror], [onload], [onmouseover], [onfocus], a[href^="javascript:"], script:not([src])';
const SHOWN_WITHIN_MS = 20_000;

interface Marked {
  rain: string;
  sale: string;
}

/** A rain and a sale full of markup, with a winner and an order. */
async function mark(scene: Scene, from: string): Promise<Marked> {
  const rain = await scene.rain({ title: TITLE });
  const sale = await scene.sale({ title: TITLE, items: [{ sku: 'tee', name: ITEM, units: 10, price: '0.00' }] });
  const client = await scene.socket(await tokenFor(USER), from);
  client.say({ type: 'grab', rainId: rain, ref: '1' });
  await client.next('result');
  client.say({ type: 'buy', saleId: sale, sku: 'tee', ref: 'r' });
  await client.next('order');
  await client.leave();
  const blocked = await blockCaller(scene.context, 'user', `${USER}2`, { reason: REASON });
  if (!blocked.ok) throw new Error(JSON.stringify(blocked));
  const asViewer = { authorization: `Bearer ${scene.staff.viewer.token}` };
  await eventually(async () =>
    (await ask(scene.console.port, `/api/console/sales/${sale}/orders`, { headers: asViewer, from })).text.includes(
      'attacked',
    ),
  );
  return { rain, sale };
}

/** Opens the page and looks what has become of the markup. */
async function look(page: Page, attempts: Attempts, address: string, texts: readonly string[]): Promise<void> {
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const where = address.replace(/^http:\/\/[^/]+|#token=.*/g, '');
  await page.goto(address);
  for (const text of texts) {
    const isShown = () => page.evaluate((wanted) => document.body.textContent.includes(wanted), text);
    const shown = await eventually(isShown, { timeoutMs: SHOWN_WITHIN_MS }).then(
      () => true,
      () => false,
    );
    attempts.control(`${where} shows ${text.slice(0, 30)}… as text`, shown, true);
  }
  // A script that has been let in would have run by the next frames.
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );
  const found = await page.evaluate(
    (injected) => [...document.querySelectorAll(injected)].map(({ outerHTML }) => outerHTML.slice(0, 80)).join(' '),
    INJECTED,
  );
  attempts.refused(`${where}: markup becomes elements`, found, '');
  attempts.refused(
    `${where}: a script runs, or a dialog opens`,
    (await page.evaluate(() => String((globalThis as { attacked?: unknown }).attacked))) + dialogs.join(' '),
    'undefined',
  );
  await page.close();
}

async function pages(
  scene: Scene,
  attempts: Attempts,
  browser: Browser,
  { rain, sale }: Marked,
  { cookie }: SignedInAs,
): Promise<void> {
  const url = `http://127.0.0.1:${scene.console.port}`;
  const player = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const token = await tokenFor(USER);
  await look(await player.newPage(), attempts, `${url}/?rain=${rain}#token=${token}`, [TITLE, USER]);
  await look(await player.newPage(), attempts, `${url}/?sale=${sale}#token=${token}`, [ITEM]);
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  await context.addCookies([{ name: 'rain_session', value: /rain_session=([^;]*)/.exec(cookie)![1]!, url }]);
  const screens: [string, string[]][] = [
    ['#/rains', [TITLE]],
    [`#/rains/${rain}`, [TITLE]],
    [`#/rains/${rain}/winners`, [USER]],
    ['#/sales', [TITLE]],
    [`#/sales/${sale}`, [TITLE, ITEM]],
    [`#/sales/${sale}/orders`, [USER]],
    [`#/sales/${sale}/live`, [ITEM]],
    ['#/blocks', [REASON, `${USER}2`]],
    ['#/actions', [REASON]],
  ];
  for (const [hash, texts] of screens) await look(await context.newPage(), attempts, `${url}/console/${hash}`, texts);
}

/** The headers of every answer to a browser. */
async function headers(
  { console: { port } }: Scene,
  attempts: Attempts,
  from: string,
  { cookie }: SignedInAs,
): Promise<void> {
  const page = await ask(port, '/console/', { from });
  const asset = new URL(/src="([^"]+\.js)"/.exec(page.text)?.[1] ?? 'none', 'http://a/console/').pathname;
  attempts.control('the page of the console', page.status, 200);
  attempts.control('its script', (await ask(port, asset, { from })).status, 200);
  for (const path of [
    '/',
    '/console/',
    '/index.html',
    asset,
    '/nothing',
    '/%',
    '/api/config',
    '/api/me',
    '/api/console/rains',
    '/api/rains/x/luckiest',
    '/healthz',
    '/console/queues/',
    '/api/console/queues',
  ]) {
    const { status, headers: given } = await ask(port, path, { headers: { cookie, accept: 'text/html' }, from });
    const policy = String(given['content-security-policy']);
    attempts.refused(
      `${path} (${status}): a policy that lets scripts of elsewhere run`,
      /script-src[^;]*(unsafe-inline|unsafe-eval|\*|https?:|data:)/.test(policy) ||
        !/default-src '(none|self)'/.test(policy),
      false,
    );
    attempts.refused(`${path}: a policy that lets another page frame it`, policy, /frame-ancestors 'none'/);
    attempts.refused(
      `${path}: an answer whose type is guessed`,
      given['x-content-type-options'] ?? 'absent',
      'nosniff',
    );
    attempts.refused(
      `${path}: an address that is told to other sites`,
      given['referrer-policy'] ?? 'absent',
      'no-referrer',
    );
    attempts.refused(`${path}: the name of the server`, given['server'] ?? given['x-powered-by'] ?? 'absent', 'absent');
  }
}

/** Names that are not text for people may not hold markup at all. */
async function names({ console: { port }, staff }: Scene, attempts: Attempts, from: string): Promise<void> {
  const create = async (changed: Record<string, unknown>, item: Record<string, unknown> = {}) => {
    const body = {
      items: [{ sku: 'tee', units: 1, price: '1.00', ...item }],
      holdMs: 60_000,
      opensAt: Date.now() + 60_000,
      closesAt: Date.now() + 120_000,
      dryRun: true,
      ...changed,
    };
    return (
      await ask(port, '/api/console/sales', {
        method: 'POST',
        headers: { authorization: `Bearer ${staff.operator.token}` },
        body,
        from,
      })
    ).status;
  };
  attempts.control('a sale with an honest item', await create({}), 201);
  for (const id of ['<b>', '"', "'", 'a/b', 'a:b', '{a}', '../a', 'a b'])
    attempts.refused(`a sale with the id ${id}`, await create({ id }), [400, 422]);
  for (const sku of ['<b>', '"', "'", 'a:b', 'a;b', '{a}', 'a\nb', ''])
    attempts.refused(`the SKU ${JSON.stringify(sku)}`, await create({}, { sku }), [400, 422]);
  for (const picture of [
    'javascript:alert(1)',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'https://a.example/"onerror="alert(1)',
    'http://a.example/a.png',
    'https://a.example/\\a',
    ' https://a.example/',
    'vbscript:a',
    'https://a.example/<b>',
  ])
    attempts.refused(`the picture ${picture}`, await create({}, { picture }), [400, 422]);
}

export const scripts: Family = {
  name: 'scripts in pages',
  async attack(scene, attempts) {
    const from = scene.address();
    const session = await scene.signIn(await scene.addStaff('script-opal', 'operator'), from);
    const [marked, browser] = await Promise.all([
      mark(scene, from),
      chromium.launch({ executablePath: findChromium(), args: CHROMIUM_ARGS }),
    ]);
    try {
      await pages(scene, attempts, browser, marked, session);
    } finally {
      await browser.close();
    }
    await headers(scene, attempts, from, session);
    await names(scene, attempts, from);
  },
};
