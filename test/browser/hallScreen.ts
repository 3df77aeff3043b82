import type { Page } from 'playwright-core';

export const PROJECTOR = { width: 1024, height: 768 };
export const TELEVISION = { width: 1920, height: 1080 };
export const BIG_SCREEN = { width: 3840, height: 2160 };

/** An address that phones could reach, as PLAYER_PAGE_URL says it. */
export const REACHABLE = 'http://192.0.2.7:8080/';

/** To be called before the page is opened: `/api/config` says more than the server does. */
export async function configure(page: Page, more: { page: string; event?: string }): Promise<void> {
  await page.route('**/api/config', async (route) =>
    route.fulfill({ json: { ...((await (await route.fetch()).json()) as object), ...more } }),
  );
}

/** Resolves when the screen of the hall is at this stage. */
export async function untilStage(page: Page, stage: string): Promise<void> {
  await page.locator(`[data-testid=hall][data-stage=${stage}]`).waitFor();
}

/** Visible parts that are not wholly in the window, or lie over each other. */
export async function cutOff(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found = [
      ...document.querySelectorAll(
        '.hall:is([data-stage=raining], [data-stage=paused], [data-stage=gone]) .middle, .banner, .event-logo img, .event, .title, .message, .headline, .big, .left, .items, .items li, .more-items, .clock, .here, .arrived, .sum, .next, .leaderboard, .places li, .names, .sponsor img, .way-in, .code svg, .buttons',
      ),
    ]
      .map((part) => ({
        part,
        name: part.getAttribute('class') ?? part.parentElement!.className,
        box: part.getBoundingClientRect(),
      }))
      .filter(({ box }) => box.width > 0 && box.height > 0);
    const outside = found.flatMap(({ name, box: { left, right, top, bottom } }) =>
      left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1
        ? [
            `${name}: ${Math.round(left)} to ${Math.round(right)} across, ${Math.round(top)} to ${Math.round(bottom)} down`,
          ]
        : [],
    );
    const over = found.flatMap(({ part, name, box }) =>
      found.flatMap((other) =>
        part === other.part ||
        part.contains(other.part) ||
        other.part.contains(part) ||
        part.compareDocumentPosition(other.part) & Node.DOCUMENT_POSITION_PRECEDING ||
        box.left >= other.box.right - 1 ||
        other.box.left >= box.right - 1 ||
        box.top >= other.box.bottom - 1 ||
        other.box.top >= box.bottom - 1
          ? []
          : [`${name} and ${other.name} lie over each other`],
      ),
    );
    return [...outside, ...over];
  });
}
