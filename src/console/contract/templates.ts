import { z } from 'zod';
import { plainRainId } from '../../rain/ids.ts';
import { themeTitle } from '../../rain/theme/check.ts';
import { time, type Endpoint } from './endpoint.ts';
import { rainFields } from './rains.ts';

const tag = 'templates';
const path = '/api/console/templates';
const params = z.strictObject({ templateId: plainRainId });

const template = z.object({
  id: z.string(),
  title: z.string(),
  rain: z
    .record(z.string(), z.unknown())
    .describe(
      'What a new rain is asked for except its start, as in the request; what `refusals` names may have any form.',
    ),
  refusals: z
    .array(z.object({ field: z.string(), reason: z.string() }))
    .describe(
      'Why no rain can be created from it as it is; empty: one can. An older version may have saved it, or its theme is gone. It can be removed, or saved anew.',
    ),
  changedAt: time,
});

const templateRain = z.strictObject({
  ...rainFields,
  durationMs: z.number('expected milliseconds').describe('How long a rain from it is open, ms.'),
});

/** Forms of rains that are kept for later ones. */
export const templatesApi = {
  listTemplates: {
    id: 'listTemplates',
    method: 'GET',
    path,
    tag,
    summary: 'All templates of rains, by title',
    access: 'viewer',
    status: 200,
    answer: z.object({ templates: z.array(template) }),
  },
  saveTemplate: {
    id: 'saveTemplate',
    method: 'PUT',
    path: `${path}/:templateId`,
    tag,
    summary: 'Make or replace a template of rains. Validated as a new rain is.',
    access: 'operator',
    params,
    body: z.strictObject({
      title: themeTitle.describe('The title of the template; operators see it.'),
      rain: templateRain
        .optional()
        .describe('What its rains are. Absent, and no `from`: it stays as it is, and only the title changes.'),
      from: z
        .string('expected the id of a rain')
        .optional()
        .describe('The id of a rain: the template is taken from it.'),
    }),
    status: 200,
    answer: template,
  },
  removeTemplate: {
    id: 'removeTemplate',
    method: 'DELETE',
    path: `${path}/:templateId`,
    tag,
    summary: 'Remove a template. Rains that were created from it stay as they are.',
    access: 'operator',
    params,
    status: 200,
    answer: z.object({ removed: z.literal(true) }),
  },
} satisfies Record<string, Endpoint>;
