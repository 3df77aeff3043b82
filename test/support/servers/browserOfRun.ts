import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium, type BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { CHROMIUM_ARGS, findChromium } from '../../browser/findChromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers `/pages` when the pages are built, and `/chromium` with the browser's address when that runs, too. */
    browserOfRun: string;
  }
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** One Chromium for the whole run, and the two pages as the set-up builds them; each when the first test needs it. */
export default async function serve(project: TestProject): Promise<() => Promise<void>> {
  let pages: Promise<string> | undefined;
  let browser: Promise<BrowserServer> | undefined;
  const server = createServer((request, response) => {
    const built = (pages ??= buildPages());
    const made =
      request.url === '/pages'
        ? built
        : Promise.all([(browser ??= launch()), built]).then(([launched]) => launched.wsEndpoint());
    made.then(
      (answer) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  project.provide('browserOfRun', await listen(server));
  return async () => {
    server.close();
    await (await browser?.catch(() => undefined))?.close();
  };
}

/** The set-up knows what is out of date. Where it started this run, nothing is. */
async function buildPages(): Promise<string> {
  if (!process.env['RAIN_BUILT'])
    await promisify(execFile)(process.execPath, ['src/bin/setup.mjs', 'build'], { cwd: ROOT });
  return 'built';
}

const launch = (): Promise<BrowserServer> =>
  chromium.launchServer({ executablePath: findChromium(), args: CHROMIUM_ARGS });

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
