import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { launchChromium, WITHOUT_CHROMIUM } from '../browser/chromium.ts';
import { tokenFor } from '../support/client.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { complaintsOf, openPackedClient } from './packedClient.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BYTES_MAX = 100_000;
const run = promisify(execFile);

const { server, redis } = await openRedis();
const { project, bytes } = await openPackedClient();

/** A gateway with one packet, and the token of a user who may grab it. */
async function openRain() {
  await redis.flushall();
  await stockRain(redis, { rainId: 'spring', title: 'Spring', amounts: ['12.21'] });
  const gateway = await openGateway(server.url);
  onTestFinished(() => gateway.close());
  return { url: gateway.url, token: await tokenFor('ann') };
}

test('the package is small, depends on nothing, and says so', async () => {
  const folder = await project({});
  const installed = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, object>;
  };
  expect(Object.keys(installed.packages)).toEqual(['', 'node_modules/red-packet-rain-client']);
  expect(bytes).toBeLessThan(BYTES_MAX);
});

const PLAY = `
const client = createRainClient({ url: process.env.RAIN_URL, token: process.env.RAIN_TOKEN, WebSocket });
client.connect()
  .then(() => client.join('spring'))
  .then(() => client.grab('spring'))
  .then(({ kind, amount }) => console.log(kind, amount))
  .finally(() => client.close());
`;
test.each([
  ['play.mjs', `import { WebSocket } from 'ws';\nimport { createRainClient } from 'red-packet-rain-client';${PLAY}`],
  [
    'play.cjs',
    `const { WebSocket } = require('ws');\nconst { createRainClient } = require('red-packet-rain-client');${PLAY}`,
  ],
])('%s plays in Node', async (name, text) => {
  const folder = await project({ [name]: text }, ['ws']);
  const { url, token } = await openRain();
  const { stdout } = await run(process.execPath, [name], {
    cwd: folder,
    env: { PATH: process.env['PATH'], RAIN_URL: url, RAIN_TOKEN: token },
    timeout: 20_000,
  });
  expect(stdout).toBe('won 12.21\n');
});

const TYPED = `
import { createRainClient, RainRefused, type BuyOutcome, type GrabOutcome, type RainClient } from 'red-packet-rain-client';
const client: RainClient = createRainClient({ url: 'wss://rain.example/v1', token: async () => 'a token' });
client.on('won', ({ amount, rainId }) => (amount + rainId).length);
client.on('welcome', ({ rains }) => rains.map(({ title, opensAt }) => title.length + opensAt));
client.on('sale', ({ items }) => items.map(({ sku, price }) => sku + price));
client.on('order', ({ status }) => status === 'paid');
// @ts-expect-error there is no such event
client.on('lost', () => {});
// @ts-expect-error an amount is a decimal string
client.on('credited', ({ amount }) => amount * 2);
// @ts-expect-error the opening is a number
client.on('rain', ({ opensAt }) => opensAt.length);
// @ts-expect-error a purchase has an item
void client.buy('autumn', { quantity: 1 });
const told = (outcome: GrabOutcome | BuyOutcome): string => ('amount' in outcome ? outcome.amount : outcome.kind);
const refused = (fault: unknown): string | undefined => (fault instanceof RainRefused ? fault.code : undefined);
`;
test.each([
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])(
  'strict TypeScript with module %s takes its types, without those of a browser or of Node',
  async (module, moduleResolution) => {
    const names = module === 'esnext' ? ['typed.ts'] : ['typed.mts', 'typed.cts'];
    const folder = await project({
      ...Object.fromEntries(names.map((name) => [name, TYPED])),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          module,
          moduleResolution,
          target: 'es2022',
          lib: ['es2022'],
          types: [],
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: false,
          noEmit: true,
        },
        files: names,
      }),
    });
    expect(await complaintsOf(folder)).toBe('');
  },
);

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** An app's own server: its page, and the token of the user who is logged in. */
async function serve(folder: string, token: string): Promise<string> {
  const app = createServer(({ url = '/' }, response) => {
    if (url === '/rain-token') return void response.end(token);
    const path = join(folder, url === '/' ? 'index.html' : url);
    try {
      response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain').end(readFileSync(path));
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void app.close());
  await once(app, 'listening');
  return `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
}

/** The words of the page after a tap. */
async function tapped(url: string): Promise<string> {
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const window = await browser.newPage();
  const complaints: string[] = [];
  window.on('pageerror', ({ message }) => complaints.push(message));
  await window.goto(url);
  await window.click('button:enabled');
  await window.waitForFunction("document.querySelector('[role=status]').textContent.includes('won')").catch(() => {});
  expect(complaints).toEqual([]);
  return (await window.textContent('[role=status]'))!;
}

test.skipIf(WITHOUT_CHROMIUM)('a page with one script tag plays', async () => {
  const folder = await project({});
  const { url, token } = await openRain();
  cpSync(join(folder, 'node_modules/red-packet-rain-client/script/client.js'), join(folder, 'client.js'));
  const page = readFileSync(join(ROOT, 'examples/page/index.html'), 'utf8');
  writeFileSync(join(folder, 'index.html'), page.replace('wss://rain.example.com/v1', url));
  expect(await tapped(await serve(folder, token))).toBe('You have won 12.21!');
});

test.skipIf(WITHOUT_CHROMIUM).each([
  ['react', ['react', 'react-dom']],
  ['vue', ['vue', '@vitejs/plugin-vue']],
])('the example for %s is built, and plays', async (name, others) => {
  const folder = await project({}, [...others, 'vite']);
  cpSync(join(ROOT, 'examples', name), folder, { recursive: true });
  const { url, token } = await openRain();
  await run(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
    cwd: folder,
    env: { ...process.env, VITE_GATEWAY: url },
  });
  expect(await tapped(await serve(join(folder, 'dist'), token))).toBe('You have won 12.21!');
});
