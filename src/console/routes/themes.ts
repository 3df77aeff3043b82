import {
  listThemes,
  removeTheme,
  removeThemeFile,
  setGreeting,
  setTheme,
  setThemeFile,
} from '../../operator/themes.ts';
import { themesApi } from '../contract/themes.ts';
import { answerOf, declinedFor, rainRoute, route, type Route } from './route.ts';

/** The theme itself is the answer. */
function themeOf(done: Awaited<ReturnType<typeof setTheme>>) {
  return done.ok ? { answer: done.theme } : declinedFor(done.refusals);
}

export const themeRoutes: readonly Route[] = [
  route(themesApi.listThemes, async ({ context }) => ({ answer: await listThemes(context) })),
  route(themesApi.setTheme, async ({ context, params: { themeId }, body }) =>
    themeOf(await setTheme(context, { id: themeId, ...body })),
  ),
  route(themesApi.removeTheme, async ({ context, params: { themeId } }) =>
    answerOf(await removeTheme(context, themeId)),
  ),
  route(themesApi.setThemeFile, async ({ context, params: { themeId, kind }, body }) =>
    themeOf(await setThemeFile(context, themeId, kind, body)),
  ),
  route(themesApi.removeThemeFile, async ({ context, params: { themeId, kind } }) =>
    themeOf(await removeThemeFile(context, themeId, kind)),
  ),
  rainRoute(themesApi.setGreeting, async ({ context, rain, body }) => {
    const done = await setGreeting(context, rain.id, body);
    return done.ok ? { answer: done.greeting } : declinedFor(done.refusals);
  }),
];
