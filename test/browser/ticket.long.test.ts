import type { Page, Worker } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ChallengeRules } from '../../src/gateway/challenge/challenges.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';
import { stockRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { overhear, shows, tapPackets, text, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

const RULES: ChallengeRules = {
  tickets: 'always',
  proofOfWork: 'always',
  secret: 'a-ticket-secret-for-tests-0123456789',
  proofOfWorkTries: 60,
};

interface Said {
  type: string;
  ticket?: string;
}

/** Errors of a page that nobody sees, for instance a policy that forbids a worker. */
function complaints(page: Page): string[] {
  const heard: string[] = [];
  page.on('pageerror', (error) => heard.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') heard.push(message.text());
  });
  return heard;
}

describe.skipIf(WITHOUT_CHROMIUM)(
  'a player in a real browser, where a grab needs a ticket, and the ticket a challenge',
  () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage({ gateway: { challenges: RULES } });
    });
    afterAll(() => stage?.end());
    afterEach(() => stage?.closeWindows());

    const grabs = (said: Said[]) => said.filter(({ type }) => type === 'grab');
    const wonBy = async (page: Page, rainId: string) =>
      JSON.parse((await stage.redis.hget(shardKeys(rainId, 0).claimed, await userOf(page)))!) as { amount: string };

    test('wins: the challenge is solved in a worker, then a packet is tapped', async () => {
      await stockRain(stage.redis, { rainId: 'strict', amounts: ['12.21'], opensInMs: -10_000 });
      const page = await stage.open('/?rain=strict', { reducedMotion: 'no-preference' });
      const wrong = complaints(page);
      const said: Said[] = await overhear(page);
      await shows(page, 'open');
      await tapPackets(page);
      await shows(page, 'won');
      expect(await text(page, 'big')).toBe('¥12.21');
      expect(await wonBy(page, 'strict')).toMatchObject({ amount: '12.21' });
      expect(said.filter(({ type }) => type === 'solution')).toHaveLength(1);
      expect(grabs(said)).toMatchObject([{ ticket: expect.stringMatching(/^[\w-]{64}$/) as string }]);
      expect(wrong).toEqual([]);
      expect(stage.gateway.counters.refused.tickets).toBe(0);
    });

    test('a key pressed before the ticket arrives is queued, is shown to count, and wins afterwards', async () => {
      await stockRain(stage.redis, { rainId: 'early', amounts: ['3.00'] });
      const page = await stage.open('/?rain=none');
      const said: Said[] = await overhear(page);
      const workers: Worker[] = [];
      page.on('worker', (worker) => workers.push(worker));
      // Solving takes a random time, so this challenge is held back until the key is pressed.
      let begin = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      let solverWanted = false;
      await page.route(/\/challenge-worker-[^/]*\.js/, (route) => {
        solverWanted = true;
        return begun.then(() => route.continue());
      });
      await page.goto(page.url().replace('none', 'early'));
      await shows(page, 'open');
      // Before the challenge has come, the page does not know that a grab needs a ticket.
      await eventually(() => solverWanted);
      await page.keyboard.press('Enter');
      await page.getByTestId('note').filter({ hasText: 'your tap counts' }).waitFor();
      expect(grabs(said)).toEqual([]);
      begin();
      await shows(page, 'won', 60_000);
      expect(grabs(said)).toHaveLength(1);
      expect(workers).toHaveLength(1);
    }, 90_000);

    test('with reduced motion packets do not move, and a tapped one wins', async () => {
      await stockRain(stage.redis, { rainId: 'calm', amounts: ['3.00'], opensInMs: -10_000 });
      const page = await stage.open('/?rain=calm');
      await shows(page, 'open');
      await tapPackets(page);
      await shows(page, 'won');
    });
  },
);
