import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WalletStatement } from '../../src/wallet/walletStatement.ts';
import { eventually } from '../support/eventually.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { paintedPixels, picture, shows, tapPackets, text } from './player.ts';
import { openScriptedPage, snapshotOf, USER } from './scriptedPage.ts';

const NOTHING: Omit<WalletStatement, 'userId'> = { wallet: '0.00', pending: '0.00', packets: [], settled: true };
const PACKET = {
  rainId: 'r',
  title: 'Spring rain',
  redPacketId: 'p-1',
  amount: '12.21',
  at: '2026-02-17T12:00:00.000Z',
};
const focused = (page: Page) => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['testid']);

describe.skipIf(WITHOUT_CHROMIUM)("the player's page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test('[R1] one press of the button, the space bar or the enter key is one grab, and no grab is sent after a win', async () => {
    const { page, tell, answer, said, say } = await openScriptedPage(browser, { rain: snapshotOf('hands') });
    answer('-1');
    for (const [presses, press] of [
      () => page.getByTestId('grab').click(),
      () => page.keyboard.press(' '),
      () => page.keyboard.press('Enter'),
    ].entries()) {
      await shows(page, 'open');
      if (presses === 2) answer('0', { redPacketId: 'p', amount: '1.00' });
      if (presses > 0) await page.getByTestId('grab').focus();
      await press();
      await shows(page, presses === 2 ? 'won' : 'missed');
      expect(said('grab')).toHaveLength(presses + 1);
      // A top-up: the rain continues.
      if (presses < 2) tell(snapshotOf('hands', { packets: 40 + presses, left: 20 + presses }));
    }
    await page.keyboard.press('Enter');
    say({ type: 'winners', rainId: 'hands', winners: [{ user: 'm***a', amount: '1.00' }] });
    await page.getByTestId('ticker').filter({ hasText: 'm***a +¥1.00' }).waitFor();
    expect(said('grab')).toHaveLength(3);
  });

  test('[R7] a rain ends on the page by the clock, without a message', async () => {
    const { page, tell } = await openScriptedPage(browser, { rain: snapshotOf('short') });
    await shows(page, 'open');
    tell(snapshotOf('short', { closesAt: Date.now() + 1_500 }));
    await shows(page, 'too_late');
    expect(await text(page, 'headline')).toBe('The rain is over');
  });

  test('[R12] an unknown rain is reported, with a link to continue; a title with markup is shown as text', async () => {
    const title = '<img src=x onerror="document.title=1">';
    const { page, address, tell } = await openScriptedPage(browser);
    await page.goto(`${address}/?rain=nowhere`);
    await shows(page, 'unknown_rain');
    await page.getByTestId('next').waitFor();
    tell(snapshotOf('somewhere', { title }));
    await page.getByTestId('ahead').waitFor();
    expect(await page.getByTestId('next').isVisible()).toBe(false);
    await page.getByTestId('ahead').click();
    await shows(page, 'open');
    expect(await text(page, 'title')).toBe(title);
    expect(await page.locator('img').count()).toBe(0);
  });

  test('when a rain is over the next one is offered, can be joined at once, and is joined automatically shortly before its start', async () => {
    // The page's clock is controlled by the test.
    const prepare = (page: Page) =>
      page.addInitScript(() => {
        const plain = performance.now.bind(performance);
        performance.now = () => plain() + ((globalThis as { laterMs?: number }).laterMs ?? 0);
      });
    const { page, tell, answer, said, tellTimeLater } = await openScriptedPage(browser, {
      rain: snapshotOf('round-1'),
      prepare,
    });
    await shows(page, 'open');
    answer('0', { redPacketId: 'p', amount: '1.00' });
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    expect(await page.getByTestId('next').isVisible()).toBe(true);
    tell(snapshotOf('round-2', { title: 'Second round', state: 'loaded', opensAt: Date.now() + 400_000 }));
    await page.getByTestId('ahead').waitFor();
    expect(await text(page, 'ahead')).toMatch(/^Next rain in 6:\d\dSecond round$/);
    await page.getByTestId('ahead').click();
    await shows(page, 'scheduled');
    expect(new URL(page.url()).searchParams.get('rain')).toBe('round-2');
    tell(snapshotOf('round-2', { state: 'closed' }));
    await shows(page, 'too_late');
    tell(snapshotOf('round-3', { title: 'Third round', state: 'loaded', opensAt: Date.now() + 300_000 }));
    await page.getByTestId('ahead').waitFor();
    expect(said('join').map(({ rainId }) => rainId)).toEqual(['round-1', 'round-2']);
    // The gateway's clock first: a pong with the real time would take the page's clock back.
    tellTimeLater(293_000);
    await page.evaluate(() => Object.assign(globalThis, { laterMs: 293_000 }));
    await page.getByTestId('title').filter({ hasText: 'Third round' }).waitFor();
    expect(said('join').at(-1)).toMatchObject({ rainId: 'round-3' });
  });

  test('packets fall in every frame; the sky survives a lost graphics context', async () => {
    const { page } = await openScriptedPage(browser, {
      rain: snapshotOf('falling'),
      window: { reducedMotion: 'no-preference' },
    });
    await shows(page, 'open');
    await eventually(async () => (await paintedPixels(page)) > 5_000);
    const before = await picture(page);
    await eventually(async () => (await picture(page)) !== before);
    await page.getByTestId('sky').evaluate((sky) => {
      const canvas = sky.querySelector('canvas')!;
      canvas.getContext('2d')!.reset();
      canvas.dispatchEvent(new Event('contextrestored'));
    });
    await eventually(async () => (await paintedPixels(page)) > 5_000);
  });

  test('with reduced motion packets do not move, and can be tapped', async () => {
    const { page, said } = await openScriptedPage(browser, { rain: snapshotOf('still') });
    await shows(page, 'open');
    await eventually(async () => (await paintedPixels(page)) > 1_000);
    const before = await picture(page);
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          let frames = 0;
          requestAnimationFrame(function next() {
            if (++frames === 20) resolve(undefined);
            else requestAnimationFrame(next);
          });
        }),
    );
    expect(await picture(page)).toBe(before);
    await tapPackets(page);
    await shows(page, 'asking');
    expect(said('grab')).toHaveLength(1);
  });

  test('the amount counts up visually, and is complete for screen readers from the start', async () => {
    const { page, answer } = await openScriptedPage(browser, {
      rain: snapshotOf('counting'),
      window: { reducedMotion: 'no-preference' },
    });
    await shows(page, 'open');
    await page.evaluate(() => {
      const big = document.querySelector<HTMLElement>('[data-testid=big]')!;
      const seen: (string | undefined)[] = [];
      Object.assign(globalThis, { seen });
      new MutationObserver(() => seen.push(big.textContent!, big.dataset['counting'])).observe(big, {
        attributes: true,
        attributeFilter: ['data-counting'],
      });
    });
    answer('0', { redPacketId: 'p', amount: '88.88' });
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    const seen = () => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
    await eventually(async () => (await seen()).length > 0);
    expect((await seen()).slice(0, 2)).toEqual(['¥88.88', '¥0.00']);
    await page.locator('[data-testid=big]:not([data-counting])').waitFor();
  });

  test('the wallet follows a pending packet, and reports when the console does not answer; the start of a rain closes it', async () => {
    let wallet: () => Promise<Omit<WalletStatement, 'userId'>> = async () => NOTHING;
    const rain = snapshotOf('wallet', { state: 'loaded', opensAt: Date.now() + 59_000 });
    const { page, tell } = await openScriptedPage(browser, {
      rain,
      book: { openWalletStatement: async () => ({ userId: USER, ...(await wallet()) }) },
    });
    await shows(page, 'scheduled');
    await page.getByTestId('wallet-button').click();
    await eventually(
      async () => (await text(page, 'wallet-word')) === 'No packets yet. The first one will appear here.',
    );
    await page.getByTestId('wallet-close').click();
    wallet = async () => ({ ...NOTHING, pending: '12.21', packets: [{ ...PACKET, status: 'pending' }] });
    await page.getByTestId('wallet-button').click();
    await eventually(async () => (await text(page, 'wallet-list')).includes('On its way'));
    expect(await text(page, 'wallet-pending')).toBe('+ ¥12.21 on its way');
    wallet = async () => ({ ...NOTHING, wallet: '12.21', packets: [{ ...PACKET, status: 'credited' }] });
    await eventually(async () => (await text(page, 'wallet-list')).includes('In your wallet'));
    expect([await text(page, 'wallet-sum'), await text(page, 'wallet-pending')]).toEqual(['¥12.21', '']);
    await page.keyboard.press('Escape');
    wallet = () => Promise.reject(new Error('the book is away'));
    await page.getByTestId('wallet-button').click();
    await eventually(async () => (await text(page, 'wallet-word')).startsWith('Your wallet cannot be shown now'));
    expect(await text(page, 'wallet-sum')).toBe('¥12.21');
    tell(snapshotOf('wallet'));
    await shows(page, 'open');
    expect(await page.getByTestId('wallet').isVisible()).toBe(false);
  });

  test('the luckiest are shown as text when the rain is over, and marked as being counted while they may change', async () => {
    let final = false;
    const luckiest = [
      { user: 'g***t', amount: '9.00', redPacketId: 'p' },
      { user: '<b>x</b>', amount: '2.00', redPacketId: 'q' },
    ];
    const { page, tell } = await openScriptedPage(browser, {
      rain: snapshotOf('lucky'),
      book: { leaderboard: async (rainId) => ({ rainId, luckiest, final }) },
    });
    await shows(page, 'open');
    expect(await page.getByTestId('luckiest').isVisible()).toBe(false);
    tell(snapshotOf('lucky', { state: 'closed' }));
    await page.getByTestId('luckiest').waitFor();
    expect(await text(page, 'luckiest')).toBe('Luckiest, still countingg***t¥9.00<b>x</b>¥2.00');
    final = true;
    await eventually(async () => (await text(page, 'luckiest')).startsWith('Luckiestg'));
  });

  test('by keyboard alone: sound off, wallet opened and closed, a packet grabbed, and the focus never lost', async () => {
    const { page, answer, said } = await openScriptedPage(browser, {
      rain: snapshotOf('keys'),
      book: {
        openWalletStatement: async () => ({ userId: USER, ...NOTHING, packets: [{ ...PACKET, status: 'held' }] }),
      },
    });
    await shows(page, 'open');
    await page.getByTestId('sound').focus();
    await page.keyboard.press('Space');
    expect(await page.getByTestId('sound').getAttribute('aria-pressed')).toBe('false');
    await page.getByTestId('wallet-button').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('wallet-list').locator('li').first().waitFor();
    expect(await page.evaluate(() => document.querySelector('dialog')!.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await eventually(async () => (await focused(page)) === 'wallet-button');
    expect(said('grab'), 'none of these keys was a tap').toEqual([]);
    answer('0', { redPacketId: 'p', amount: '1.00' });
    await page.getByTestId('grab').focus();
    await page.keyboard.press('Space');
    await shows(page, 'won');
    expect(await focused(page)).toBe('message');
    await page.reload();
    await shows(page, 'open');
    expect(await page.getByTestId('sound').getAttribute('aria-pressed')).toBe('false');
  });

  test('a screen reader announces each event once, and not every second of a countdown', async () => {
    const rain = snapshotOf('spoken', { state: 'loaded', opensAt: Date.now() + 59_000 });
    const { page, tell, answer } = await openScriptedPage(browser, { rain });
    await shows(page, 'scheduled');
    await page.evaluate(() => {
      const spoken = document.querySelector('[data-testid=spoken]')!;
      const announced: string[] = [spoken.textContent!];
      Object.assign(globalThis, { announced });
      new MutationObserver(() => announced.push(spoken.textContent!)).observe(spoken, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    tell({ ...rain, opensAt: Date.now() + 10_900 });
    await page
      .getByTestId('big')
      .filter({ hasText: /^[1-9]$/ })
      .waitFor();
    tell(snapshotOf('spoken'));
    await shows(page, 'open');
    answer('0', { redPacketId: 'p', amount: '4.00' });
    await page.keyboard.press('Enter');
    await shows(page, 'won');
    const announced = await page.evaluate(() =>
      (globalThis as unknown as { announced: string[] }).announced.map((sentence) => sentence.trim()),
    );
    expect(announced[0]).toBe('The rain starts in. Get your thumb ready.');
    expect(announced.filter((sentence) => sentence !== 'Opening …. Your tap is on its way.').slice(1)).toEqual([
      '10 seconds left',
      'Tap a red packet!. One packet each. The first tap counts.',
      expect.stringMatching(/^You got a red packet: ¥4\.00\./),
    ]);
  });
});
