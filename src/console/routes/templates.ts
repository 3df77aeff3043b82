import { listTemplates, removeTemplate, saveTemplate } from '../../operator/templates.ts';
import { templatesApi } from '../contract/templates.ts';
import { answerOf, declinedFor, route, type Route } from './route.ts';

export const templateRoutes: readonly Route[] = [
  route(templatesApi.listTemplates, async ({ context }) => ({ answer: await listTemplates(context) })),
  route(templatesApi.saveTemplate, async ({ context, params: { templateId }, body }) => {
    const done = await saveTemplate(context, { id: templateId, ...body });
    return done.ok ? { answer: done.template } : declinedFor(done.refusals);
  }),
  route(templatesApi.removeTemplate, async ({ context, params: { templateId } }) =>
    answerOf(await removeTemplate(context, templateId)),
  ),
];
