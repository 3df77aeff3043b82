import type { Page } from 'playwright-core';
import type { View } from '../../client-demo/src/view.ts';

/** Resolves when the page shows this face. */
export async function shows(page: Page, face: View['face'], timeout = 30_000): Promise<void> {
  await page.locator(`[data-testid=phone][data-face=${face}]`).waitFor({ timeout });
}

export async function text(page: Page, testId: string): Promise<string> {
  return (await page.getByTestId(testId).textContent()) ?? '';
}

export async function userOf(page: Page): Promise<string> {
  return (await text(page, 'user')).split(' ').at(-1)!;
}

/** Taps across the sky until one tap has hit a packet. */
export async function tapPackets(page: Page, taps = 300): Promise<void> {
  const sky = (await page.getByTestId('sky').boundingBox())!;
  for (let i = 0; i < taps; i++) {
    if ((await page.getByTestId('phone').getAttribute('data-face')) !== 'open') return;
    const [across, down] = [(i * 0.618) % 1, 0.25 + 0.6 * ((i * 0.414) % 1)];
    await page.touchscreen.tap(sky.x + sky.width * across, sky.y + sky.height * down);
  }
  throw new Error(`${taps} taps hit no packet`);
}

/** The number of painted pixels of the sky. */
export async function paintedPixels(page: Page): Promise<number> {
  return (await lookUp(page)).painted;
}

/** A snapshot of the sky, to compare with a later one. */
export async function picture(page: Page): Promise<string> {
  return (await lookUp(page)).picture;
}

/** Reads the canvas right after a paint: later it may read as empty. */
async function lookUp(page: Page): Promise<{ painted: number; picture: string }> {
  return await page.getByTestId('sky').evaluate(
    (sky) =>
      new Promise<{ painted: number; picture: string }>((resolve) => {
        requestAnimationFrame(() => {
          const canvas = sky.querySelector('canvas')!;
          const copy = document.createElement('canvas');
          [copy.width, copy.height] = [canvas.width, canvas.height];
          const pen = copy.getContext('2d')!;
          pen.drawImage(canvas, 0, 0);
          const { data } = pen.getImageData(0, 0, copy.width, copy.height);
          let painted = 0;
          for (let i = 3; i < data.length; i += 4) if (data[i]! > 0) painted++;
          resolve({ painted, picture: copy.toDataURL() });
        });
      }),
  );
}

/** Records what the page sends to the gateway. Reloads the page, so that nothing is missed. */
export async function overhear(page: Page): Promise<{ type: string }[]> {
  const said: { type: string }[] = [];
  const address = page.url();
  // The page that is left may still open its socket, and solve its challenge: what it sends is not to be counted.
  await page.goto('about:blank');
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => said.push(JSON.parse(String(payload)) as { type: string })),
  );
  await page.goto(address);
  return said;
}

/** Elements that overflow the window or are cut off in it. */
export async function overflowing(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const parts = [
      '.bar',
      '.clock',
      '.message',
      '.paper',
      '.headline',
      '.big',
      '.detail',
      '.leaderboard',
      '.ahead',
      '.next',
      '.note',
      '.left',
      '.sales',
      '.grab',
      '.user',
      '.share',
      '.remind',
      '.language',
      '.greeting',
      '.wallet',
      '.rehearsal',
    ];
    return parts.flatMap((selector) => {
      const part = document.querySelector(selector)!;
      const { left, right, top, bottom, width } = part.getBoundingClientRect();
      const out = width > 0 && (left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1);
      return out
        ? [
            `${selector}: ${Math.round(left)} to ${Math.round(right)} across, ${Math.round(top)} to ${Math.round(bottom)} down`,
          ]
        : [];
    });
  });
}
