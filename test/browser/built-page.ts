import { fileURLToPath } from 'node:url';
import { askRun } from './chromium.ts';

/** The folders of the built pages: the set-up writes them, and `rain console` serves them. */
export const PLAYER_PAGE = fileURLToPath(new URL('../../dist/client-demo', import.meta.url));
export const OPERATOR_PAGE = fileURLToPath(new URL('../../dist/client-console', import.meta.url));

/** Builds both pages from the current sources, as they are shipped. */
export async function buildShippedPage(): Promise<void> {
  await askRun('/pages');
}
