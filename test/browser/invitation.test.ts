import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tokenFor } from '../support/client.ts';
import { stockRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { shows, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

describe.skipIf(WITHOUT_CHROMIUM)('[R9] a page where guests are not welcome', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({ guests: false });
    await stockRain(stage.redis, { rainId: 'private', amounts: ['1.00'] });
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  test('plays for the user of the token in the fragment, which leaves the address bar at once and survives a reload', async () => {
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

  test('never takes a token from the query, where servers would log it', async () => {
    const page = await stage.open(`/?token=${await tokenFor('alice')}`);
    await shows(page, 'no_token');
  });

  test('says so when the invitation has run out, rather than trying for ever', async () => {
    const page = await stage.open(`/#token=${await tokenFor('alice', -60)}`);
    await shows(page, 'no_token');
  });

  test('asks for an invitation, and needs nothing the content security policy forbids', async () => {
    const page = await stage.open('/');
    const complaints: string[] = [];
    page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.reload();
    await shows(page, 'no_token');
    expect(complaints).toEqual([]);
  });
});
