import { describe, expect, test } from 'vitest';
import { WITHOUT_CHROMIUM } from '../browser/chromium.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { attackAll } from './run.ts';

describe.skipIf(!postgresInstalled || WITHOUT_CHROMIUM)('npm run attack', () => {
  test('[R9][R10][R12] whatever is tried at the doors of gateway and console, 26 families of attacks are refused, and honest requests are not', async () => {
    const verdicts = await attackAll({ tell: () => {} });
    expect(verdicts.filter(({ notHeld }) => notHeld.length > 0)).toEqual([]);
    expect(verdicts.length).toBe(26);
  }, 400_000);
});
