import { z } from 'zod';
import { requestedGreeting, themeColours, themeId, themeTitle } from '../../rain/theme/check.ts';
import { THEME_FILE_BYTES_MAX } from '../../rain/theme/files.ts';
import { THEME_FILE_KINDS } from '../../rain/theme.ts';
import { count, rainParams, time, type Endpoint } from './endpoint.ts';

const tag = 'themes';
const path = '/api/console/themes';
const params = z.strictObject({ themeId });
const fileParams = z.strictObject({
  themeId,
  kind: z.enum(THEME_FILE_KINDS, `expected ${THEME_FILE_KINDS.slice(0, -1).join(', ')} or ${THEME_FILE_KINDS.at(-1)}`),
});

const colour = z.string().optional().describe('#rrggbb; absent: the default look.');
const file = z
  .object({
    url: z.string().describe('Relative to the origin of this API; its content never changes.'),
    type: z.string(),
    bytes: count,
  })
  .optional();
const theme = z.object({
  id: z.string(),
  title: z.string(),
  colours: z.object({ background: colour, packet: colour, accent: colour }),
  isDefault: z
    .boolean()
    .describe('Rains without a theme of their own have this one, and so do pages without a rain. At most one theme.'),
  files: z.object({ logo: file, sponsor: file, packet: file, background: file, music: file }),
  changedAt: time,
});

/** The host's words with a rain. */
export const greetingView = z.object({
  sender: z.string().optional(),
  blessing: z.string().optional(),
  prizes: z
    .array(z.object({ from: z.string(), blessing: z.string() }))
    .optional()
    .describe('What wins of at least `from` are greeted with, in place of the blessing.'),
  theme: z.string().optional().describe('The id of a theme; absent: the default theme.'),
});

/** How pages look and sound, and what the host says with a rain. Both may change at any time. */
export const themesApi = {
  listThemes: {
    id: 'listThemes',
    method: 'GET',
    path,
    tag,
    summary: 'All themes, by title',
    access: 'viewer',
    status: 200,
    answer: z.object({ themes: z.array(theme) }),
  },
  setTheme: {
    id: 'setTheme',
    method: 'PUT',
    path: `${path}/:themeId`,
    tag,
    summary: 'Make or change a theme. Its files stay.',
    access: 'operator',
    params,
    body: z.strictObject({
      title: themeTitle,
      colours: themeColours
        .optional()
        .describe('What is absent has the default look. Text must be readable on them: the contrast is checked.'),
      isDefault: z
        .boolean('expected true or false')
        .optional()
        .describe('True: no other theme is the default one any more. Absent: it stays as it is.'),
    }),
    status: 200,
    answer: theme,
  },
  removeTheme: {
    id: 'removeTheme',
    method: 'DELETE',
    path: `${path}/:themeId`,
    tag,
    summary: 'Remove a theme with its files. Rains that have it then have the default one.',
    access: 'operator',
    params,
    status: 200,
    answer: z.object({ removed: z.literal(true) }),
  },
  setThemeFile: {
    id: 'setThemeFile',
    method: 'PUT',
    path: `${path}/:themeId/files/:kind`,
    tag,
    access: 'operator',
    params: fileParams,
    summary:
      'Put a file into a theme. Pictures are PNG, JPEG or WebP, music is MP3, M4A or OGG; the bytes tell it, not the declared type. Pictures are written anew as WebP, without what a camera has added.',
    body: z.custom<Buffer>(
      (body) => body instanceof Buffer,
      'expected the bytes of the file, with a content-type such as image/png',
    ),
    bodyType: 'application/octet-stream',
    bodyBytesMax: THEME_FILE_BYTES_MAX,
    status: 200,
    answer: theme,
  },
  removeThemeFile: {
    id: 'removeThemeFile',
    method: 'DELETE',
    path: `${path}/:themeId/files/:kind`,
    tag,
    summary: 'Take a file out of a theme.',
    access: 'operator',
    params: fileParams,
    status: 200,
    answer: theme,
  },
  setGreeting: {
    id: 'setGreeting',
    method: 'PUT',
    path: '/api/console/rains/:rainId/greeting',
    tag,
    summary: 'What the host says with a rain, and its theme. All of it is replaced: what is absent or null is removed.',
    access: 'operator',
    params: rainParams,
    body: requestedGreeting,
    status: 200,
    answer: greetingView,
  },
} satisfies Record<string, Endpoint>;
