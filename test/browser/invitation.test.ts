import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tokenFor } from '../support/client.ts';
import { stockRain } from '../support/rain.ts';
import { buildPage } from './built-page.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { shows, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

describe.skipIf(WITHOUT_CHROMIUM)('[R9] a page where guests are not welcome', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({ guests: false });
    await stockRain(stage.redis, { rainId: 'private', amounts: ['1.00'] });
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  test('asks for an invitation', async () => {
    const page = await stage.open('/');
    await shows(page, 'no_token');
  });

  test('plays for the user of the token in the fragment, which leaves the address bar at once and survives a reload', async () => {
    const token = await tokenFor('alice');
    const page = await stage.open(`/?rain=private#token=${token}`);
    await shows(page, 'open');
    expect(await userOf(page)).toBe('alice');
    expect(page.url()).toBe(`${stage.console.url}/?rain=private`);
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    await page.reload();
    await shows(page, 'open');
    expect(await userOf(page)).toBe('alice');
  });

  test('never takes a token from the query, where servers would log it', async () => {
    const page = await stage.open(`/?token=${await tokenFor('alice')}`);
    await shows(page, 'no_token');
  });

  test('says so when the invitation has run out, rather than trying for ever', async () => {
    const page = await stage.open(`/#token=${await tokenFor('alice', -60)}`);
    await shows(page, 'no_token', 20_000);
  });

  test('needs nothing the content security policy forbids', async () => {
    const page = await stage.open('/');
    const complaints: string[] = [];
    page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.reload();
    await shows(page, 'no_token');
    expect(complaints).toEqual([]);
  });
});

test('[R10] the page is light: what it needs before the renderer fits into 60 KB, no validator in it; all else is fetched when it is wanted', async () => {
  const page = await buildPage();
  const html = readFileSync(join(page.folder, 'index.html'), 'utf8');
  const assets = readdirSync(join(page.folder, 'assets'));
  const textOf = (file: string) => readFileSync(join(page.folder, 'assets', file), 'utf8');
  // What the page names by itself, and what those scripts import before they run.
  const first = new Set(assets.filter((file) => html.includes(file)));
  const imports = (file: string) => [...textOf(file).matchAll(/\b(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/g)].map(([, imported]) => imported!);
  for (const file of first) for (const imported of imports(file)) first.add(imported);
  const scripts = [...first].filter((file) => file.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(0);
  const gzipped = gzipSync(html).length + [...first].reduce((sum, file) => sum + gzipSync(textOf(file)).length, 0);
  console.info(`${gzipped} bytes gzipped before the renderer, in ${first.size + 1} files`);
  expect(gzipped).toBeLessThan(60_000);
  for (const file of scripts) expect(textOf(file), file).not.toMatch(/zod|WebGLRenderer/i);
  // The verifier is fetched by whoever asks for it, the solver by whom a puzzle is set, the renderer while the page is already alive.
  const later = assets.filter((file) => !first.has(file));
  for (const name of [/^solver-/, /^verifier-/, /^pixi-painter-/]) expect(later).toContainEqual(expect.stringMatching(name));
  page.remove();
});
