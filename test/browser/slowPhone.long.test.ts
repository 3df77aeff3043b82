import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CDPSession, Page } from 'playwright-core';
import { stockRain } from '../support/rain.ts';
import { eventually } from '../support/eventually.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { shows } from './player.ts';
import { setStage, type Stage } from './stage.ts';

/** A phone of the middle class on a slow 4G network: the usual settings of audits of mobile pages. */
const SLOW_PROCESSOR = 4;
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };

/** All that the network carries until the page can be played: page, scripts, answers of the API, and their headers. */
const FIRST_LOAD_BYTES_MAX = 70_000;
const FRAMES = 120;

interface Load {
  requests: number;
  bytes: number;
}

async function slowDown(page: Page): Promise<{ phone: CDPSession; load: Load }> {
  const phone = await page.context().newCDPSession(page);
  const load = { requests: 0, bytes: 0 };
  phone.on('Network.requestWillBeSent', () => {
    load.requests++;
  });
  phone.on('Network.loadingFinished', ({ encodedDataLength }) => {
    load.bytes += encodedDataLength;
  });
  await phone.send('Network.enable');
  await phone.send('Performance.enable');
  await phone.send('Network.emulateNetworkConditions', SLOW_NETWORK);
  await phone.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PROCESSOR });
  return { phone, load };
}

/** Seconds that the page's thread has worked so far. */
async function workedFor(phone: CDPSession): Promise<number> {
  const { metrics } = await phone.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value;
}

/**
 * Milliseconds after the start of the page at which it first had text, and by which it last did nothing else for 50 ms
 * or more.
 */
const timesOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<{ firstTextMs: number; blockedMs: number }>((resolve) => {
        let blockedMs = 0;
        new PerformanceObserver((tasks) => {
          for (const { duration } of tasks.getEntries()) blockedMs += duration - 50;
        }).observe({ type: 'longtask', buffered: true });
        const [first] = performance.getEntriesByName('first-contentful-paint');
        setTimeout(
          () => resolve({ firstTextMs: Math.round(first?.startTime ?? NaN), blockedMs: Math.round(blockedMs) }),
          0,
        );
      }),
  );

describe.skipIf(WITHOUT_CHROMIUM)('a slow phone', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage?.end());

  test('[R10] loads at most 70 KB before it can play, and moves packets on every frame that it paints', async () => {
    await stockRain(stage.redis, { rainId: 'slow', amounts: ['1.00'] });
    const page = await stage.open('/favicon.ico', { reducedMotion: 'no-preference' });
    const { phone, load } = await slowDown(page);
    const before = await workedFor(phone);
    await page.goto(`${stage.console.url}/?rain=slow`);
    await shows(page, 'open');
    const first = { ...load };
    const [{ firstTextMs, blockedMs }, openedFor] = [await timesOf(page), (await workedFor(phone)) - before];
    expect(first.requests).toBeGreaterThan(3);
    expect(first.bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);

    const framesOf = async () => Number(await page.getByTestId('sky').getAttribute('data-frames'));
    await eventually(async () => (await framesOf()) > 0);
    const [framesBefore, workedBefore] = [await framesOf(), await workedFor(phone)];
    await eventually(async () => (await framesOf()) > framesBefore + FRAMES);
    const [frames, worked] = [(await framesOf()) - framesBefore, (await workedFor(phone)) - workedBefore];
    const rate = await page.getByTestId('sky').getAttribute('data-rate');
    console.info(
      [
        `first load: ${first.bytes} bytes in ${first.requests} requests; text after ${firstTextMs} ms, blocked for ${blockedMs} ms, ${openedFor.toFixed(2)} s of work`,
        `rain: ${((worked * 1000) / frames).toFixed(1)} ms of work a frame, ${rate} frames a second (painted by this machine's processors)`,
      ].join('\n'),
    );
  });
});
