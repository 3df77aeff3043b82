import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tokenFor } from '../support/client.ts';
import { stockRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { shows, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

describe.skipIf(WITHOUT_CHROMIUM)('[R9] a page without anonymous guests', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({ guests: false });
    await stockRain(stage.redis, { rainId: 'private', amounts: ['1.00'] });
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  test('plays for the user of the token in the fragment, removes it from the address bar at once, and keeps it over a reload', async () => {
    const token = await tokenFor('alice');
    const page = await stage.open(`/?rain=private#token=${token}`);
    await shows(page, 'open');
    expect(await userOf(page)).toBe('alice');
    expect(page.url()).toBe(`${stage.console.url}/?rain=private`);
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    await page.reload();
    await shows(page, 'open');
    expect(await userOf(page)).toBe('alice');
  });

  test('ignores a token in the query, which servers would log', async () => {
    const page = await stage.open(`/?token=${await tokenFor('alice')}`);
    await shows(page, 'no_token');
  });

  test('reports an expired invitation instead of retrying for ever', async () => {
    const page = await stage.open(`/#token=${await tokenFor('alice', -60)}`);
    await shows(page, 'no_token');
  });

  test('asks for an invitation, and does not violate the content security policy', async () => {
    const page = await stage.open('/');
    const complaints: string[] = [];
    page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.reload();
    await shows(page, 'no_token');
    expect(complaints).toEqual([]);
  });
});
