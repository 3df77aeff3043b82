import { fileURLToPath } from 'node:url';
import { askRun } from './chromium.ts';

/** Where the set-up leaves the player's page and the operator's, and `rain console` looks for them. */
export const PLAYER_PAGE = fileURLToPath(new URL('../../dist/client-demo', import.meta.url));
export const OPERATOR_PAGE = fileURLToPath(new URL('../../dist/client-console', import.meta.url));

/** Both pages as they are shipped, built of what the sources say now. */
export async function buildShippedPage(): Promise<void> {
  await askRun('/pages');
}
