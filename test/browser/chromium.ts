import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Set by the set-up, with the reason, on a machine where no browser can be had: the tests in one are then skipped. */
export const WITHOUT_CHROMIUM = process.env['WITHOUT_CHROMIUM'];

/** A headless Chromium with a profile of its own, that asks nobody on the internet anything. */
export async function launchChromium(): Promise<Browser> {
  return await chromium.launch({
    executablePath: findChromium(),
    args: [
      // Chromium refuses to run its sandbox as root, which a container usually is.
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
  });
}

function findChromium(): string {
  const chosen = process.env['CHROMIUM'];
  if (chosen) return chosen;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (!found) throw new Error('no Chromium: set CHROMIUM to its path, or install it (apt-get install chromium)');
  return found;
}
