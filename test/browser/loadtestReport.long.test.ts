import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { renderPage } from '../../src/loadtest/report/page/page.ts';
import { reportOf, type SwarmReport } from '../../src/loadtest/report/report.ts';
import { WaveCounters } from '../../src/loadtest/figures/counters.ts';
import { checkMoney } from '../../src/loadtest/report/verdict.ts';
import { loadtestReport } from '../loadtest/report/page/stormReport.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { closePage, openPage, type PageOptions } from './windows.ts';

const LAPTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

describe.skipIf(WITHOUT_CHROMIUM)('the load test report as a page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** @returns the browser's network requests, its errors, and the visible text */
  async function look(report: SwarmReport, context: PageOptions, name?: string) {
    const page = await openPage(browser, context);
    try {
      const [asked, complaints]: [string[], string[]] = [[], []];
      page.on('request', (request) => {
        asked.push(request.url());
      });
      page.on('console', (message) => complaints.push(message.text()));
      await page.setContent(renderPage(report, checkMoney(report)), { waitUntil: 'load' });
      const seen = await page.evaluate(() => ({
        wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        scripts: document.querySelectorAll('script').length,
        pictures: [...document.querySelectorAll('section svg[role=img]')].filter(
          (svg) => svg.getBoundingClientRect().width > 0,
        ).length,
        smallest: Math.min(
          ...[...document.querySelectorAll('svg .tick')]
            .filter((text) => text.getBoundingClientRect().width > 0)
            .map((text) => text.getBoundingClientRect().height),
        ),
        broken: document.querySelectorAll(
          'path[d*=NaN], line[x1*=NaN], line[y1*=NaN], text[x*=NaN], text[y*=NaN], circle[cy*=NaN]',
        ).length,
        paper: getComputedStyle(document.body).backgroundColor,
        text: document.body.innerText,
      }));
      const folder = process.env['SCREENSHOTS'];
      if (folder && name) {
        mkdirSync(folder, { recursive: true });
        await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
      }
      return { asked, complaints, ...seen };
    } finally {
      await closePage(page);
    }
  }

  test.each([
    ['laptop, light', { viewport: LAPTOP, colorScheme: 'light' }],
    ['laptop, dark', { viewport: LAPTOP, colorScheme: 'dark' }],
    ['phone, light', { viewport: PHONE, colorScheme: 'light', deviceScaleFactor: 2 }],
    ['phone, dark', { viewport: PHONE, colorScheme: 'dark', deviceScaleFactor: 2 }],
  ] as const)('%s: shows four plots that can be read, and fetches nothing', async (name, context) => {
    const { asked, complaints, wider, scripts, pictures, smallest, broken, paper, text } = await look(
      loadtestReport(),
      context,
      name.replace(', ', '-'),
    );
    expect({ asked, complaints, scripts, broken, pictures, wider: Math.max(0, wider) }).toEqual({
      asked: [],
      complaints: [],
      scripts: 0,
      broken: 0,
      pictures: 4,
      wider: 0,
    });
    expect(smallest).toBeGreaterThan(8);
    expect(paper === 'rgb(250, 247, 242)').toBe(name.endsWith('light'));
    expect(text).toContain('The money adds up: 1,200 winners were told 888.00');
    expect(text).toContain('coordinated omission');
  });

  test('an empty run, and a run whose money does not add up, are shown, too', async () => {
    const empty = reportOf(new WaveCounters(1), {
      rainId: 'r',
      seed: 'ab'.repeat(32),
      durationMs: 5,
      clockErrorMs: Infinity,
    });
    expect(await look(empty, { viewport: PHONE })).toMatchObject({ broken: 0, pictures: 4, complaints: [] });
    const wrong = await look(
      { ...loadtestReport(), faults: 1, faultExamples: ['p-1 was told to ann and to bob'] },
      { viewport: LAPTOP },
    );
    expect(wrong.text).toContain('The money does NOT add up');
  });

  test('[R12] markup in a name is shown as text, never executed', async () => {
    const { scripts, text, complaints } = await look(
      loadtestReport('<script>document.title="x"</script><img src=x onerror=alert(1)>'),
      { viewport: LAPTOP },
    );
    expect([scripts, complaints]).toEqual([0, []]);
    expect(text).toContain('<script>document.title="x"</script>');
  });
});
