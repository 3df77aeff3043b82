import type { Page } from 'playwright-core';
import type { ShownTheme } from '../../client-demo/src/theme.ts';
import { pngOf } from '../support/png.ts';

/** A theme in blue with all its pictures. */
export const GALA = {
  sender: 'The board',
  blessing: 'Happy new year',
  theme: {
    id: 'gala',
    colours: { background: '#10264d', packet: '#1f6f8b', accent: '#ffd166' },
    files: {
      logo: 'api/theme/files/logo.png',
      packet: 'api/theme/files/packet.png',
      background: 'api/theme/files/background.png',
    },
  },
} satisfies ShownTheme;

const PICTURES: Record<string, Buffer> = {
  logo: pngOf(240, 100, [255, 209, 102], [16, 38, 77]),
  packet: pngOf(224, 304, [31, 111, 139], [255, 209, 102]),
  background: pngOf(64, 64, [230, 230, 240], [40, 120, 200]),
};

/** Answers the page's questions for themes. @param broken the pictures cannot be loaded */
export async function serveThemes(
  page: Page,
  shown: ShownTheme | (() => ShownTheme),
  broken = false,
): Promise<{ asked: string[] }> {
  const asked: string[] = [];
  await page.route(/\/api\/theme(?:\?|$)/, async (route) => {
    asked.push(new URL(route.request().url()).search);
    await route.fulfill({ json: typeof shown === 'function' ? shown() : shown });
  });
  await page.route('**/api/theme/files/*', async (route) => {
    const [name] = new URL(route.request().url()).pathname.split('/').at(-1)!.split('.');
    await (broken
      ? route.fulfill({ status: 500 })
      : route.fulfill({ contentType: 'image/png', body: PICTURES[name!]! }));
  });
  return { asked };
}
