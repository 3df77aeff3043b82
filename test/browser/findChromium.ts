import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** It sends no requests to the internet. */
export const CHROMIUM_ARGS = [
  // Chromium refuses to run its sandbox as root, which a container usually is.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function findChromium(): string {
  const chosen = process.env['CHROMIUM'];
  if (chosen) return chosen;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (!found) throw new Error('no Chromium: set CHROMIUM to its path, or install it (apt-get install chromium)');
  return found;
}
