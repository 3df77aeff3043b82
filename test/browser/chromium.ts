import { chromium, type Browser } from 'playwright-core';
import { inject } from 'vitest';

/** The reason why there is no browser on this machine, set by the set-up. The browser tests are then skipped. */
export const WITHOUT_CHROMIUM = process.env['WITHOUT_CHROMIUM'];

/** The shared headless Chromium of this run, see browserOfRun.ts. A caller sees and closes only its own contexts. */
export async function launchChromium(): Promise<Browser> {
  return await chromium.connect(await askRun('/chromium'));
}

/** @returns the run's answer, as soon as it is available */
export async function askRun(what: '/chromium' | '/pages'): Promise<string> {
  const answer = await fetch(inject('browserOfRun') + what);
  if (!answer.ok) throw new Error(await answer.text());
  return await answer.text();
}
