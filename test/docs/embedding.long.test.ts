import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundled } from '../../scripts/client/packClient.ts';
import { startConsole, type Console } from '../../src/console/server.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { createTokenReader } from '../../src/platform/auth/tokenReader.ts';
import { launchChromium, WITHOUT_CHROMIUM } from '../browser/chromium.ts';
import { SECRET } from '../support/client.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openWorker } from '../support/servers/worker.ts';
import { openPlayers, type Players } from '../wallet/room.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/how-to/embed.md'), 'utf8');
const snippet = (name: string) => new RegExp(`\`\`\`${name}\\n([^]*?)\`\`\``).exec(page)![1]!;
const read = createTokenReader({ secret: SECRET }, Date.now);

/** Under the project, so that what is imported there is found. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(ROOT, 'node_modules/.cache/rain-embedding-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function minted(program: string, file: string, text: string): string {
  writeFileSync(join(folder, file), text);
  const { stdout, stderr, status } = spawnSync(program, [join(folder, file)], {
    env: { ...process.env, JWT_SECRET: SECRET },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

test('[R9] the token that the page signs in Node is taken', async () => {
  const token = minted(process.execPath, 'mint.mjs', `${snippet('js mint')}\nconsole.log(await tokenFor('ann'));`);
  expect(await read(token)).toMatchObject({ subject: 'ann' });
});

const PYTHON = ['/usr/bin/python3', 'python3'].find((python) => spawnSync(python, ['-c', '']).status === 0);
test.skipIf(PYTHON === undefined)('[R9] the token that the page signs in Python is taken', async () => {
  expect(await read(minted(PYTHON!, 'mint.py', `${snippet('python mint')}\nprint(token_for("ann"))`))).toMatchObject({
    subject: 'ann',
  });
});

test("every colour that the page names is one of the player's page, and the page of one's own fits on a screen", () => {
  const style = readFileSync(join(ROOT, 'client-demo/src/style/page.css'), 'utf8');
  const named = [...page.matchAll(/`(--[\w-]+)`/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(5);
  for (const name of named) expect(style).toContain(`${name}:`);
  expect(snippet('html page').split('\n').length + snippet('js page').split('\n').length).toBeLessThanOrEqual(44);
});

describe.skipIf(WITHOUT_CHROMIUM)("the page of one's own", () => {
  let context: TestContext;
  let shop: Server;
  let gateway: Gateway;
  let rainConsole: Console;
  let players: Players;
  let worker: Awaited<ReturnType<typeof openWorker>>;
  let browser: Browser;
  let shopUrl: string;
  const files = new Map<string, { type: string; text: string }>();
  let policy = '';

  beforeAll(async () => {
    context = await openTestContext();
    // Another origin than gateway and console have, as a shop is.
    shop = createServer((request, response) => {
      if (request.url === '/rain-token')
        return void response.end(
          minted(process.execPath, 'mint.mjs', `${snippet('js mint')}\nconsole.log(await tokenFor('ann'));`),
        );
      const file = files.get(request.url!);
      if (!file) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': file.type, 'content-security-policy': policy }).end(file.text);
    }).listen(0, '127.0.0.1');
    await once(shop, 'listening');
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    players = openPlayers(context, { ALLOWED_ORIGINS: shopUrl });
    writeFileSync(join(folder, 'index.html'), '<!doctype html>');
    gateway = await openGateway(context.redisUrl, { allowedOrigins: [shopUrl] });
    rainConsole = await startConsole({
      host: '127.0.0.1',
      port: 0,
      gatewayUrl: gateway.url,
      pageFolder: folder,
      log: createLog('console', 'silent'),
      player: players.context,
    });
    worker = await openWorker(context);
    const here = (text: string) =>
      text
        .replaceAll('wss://rain.example.com', new URL(gateway.url).origin)
        .replaceAll('https://rain.example.com', rainConsole.url);
    policy = here(/^ {4}(default-src .*)$/m.exec(page)![1]!);
    files.set('/', { type: 'text/html', text: snippet('html page') });
    files.set('/page.js', { type: 'text/javascript', text: here(snippet('js page')) });
    files.set('/rain-client.js', { type: 'text/javascript', text: await bundled('es') });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await rainConsole?.close();
    await players?.close();
    await gateway?.close();
    await worker?.close();
    await context?.stop();
    shop?.close();
  });

  test('plays at a real gateway under its own policy, and shows the money in the wallet', async () => {
    const now = await redisNow(context.redis);
    const created = await createRain(context, {
      id: 'shop',
      title: 'Spring',
      plan: { budget: '12.21', packets: 1, split: { method: 'even' } },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
    });
    if (!created.ok) throw new Error(JSON.stringify(created.refusals));
    await loadRain(context, 'shop');
    const window = await browser.newPage();
    const complaints: string[] = [];
    window.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('favicon')) complaints.push(message.text());
    });
    window.on('pageerror', (error) => complaints.push(error.message));
    await window.goto(shopUrl);
    const text = (id: string) => window.textContent(`#${id}`);
    // A gateway hears of a new rain within a second.
    await eventually(async () => {
      if ((await text('told')) === 'No rain is planned.') await window.reload();
      expect(await text('told')).toContain('Spring');
    });
    expect(await text('wallet')).toBe('0.00');
    await window.click('#grab');
    await eventually(async () => expect(await text('told')).toBe('You have won 12.21!'));
    await eventually(async () => expect(await text('wallet')).toBe('12.21'));
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([]);
  });
});
