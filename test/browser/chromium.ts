import { chromium, type Browser } from 'playwright-core';
import { inject } from 'vitest';

/** Set by the set-up, with the reason, on a machine where no browser can be had: the tests in one are then skipped. */
export const WITHOUT_CHROMIUM = process.env['WITHOUT_CHROMIUM'];

/** The headless Chromium of this run, see browserOfRun.ts. Each caller sees the contexts that it opened, and closing ends those alone. */
export async function launchChromium(): Promise<Browser> {
  return await chromium.connect(await askRun('/chromium'));
}

/** @returns what the run answers when the thing is there */
export async function askRun(what: '/chromium' | '/pages'): Promise<string> {
  const answer = await fetch(inject('browserOfRun') + what);
  if (!answer.ok) throw new Error(await answer.text());
  return await answer.text();
}
