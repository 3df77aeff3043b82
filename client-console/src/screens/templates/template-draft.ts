import type { Template } from '../../state/responses.ts';
import { formOf, timesOf, type Draft } from '../create/draft.ts';
import { filledIn } from '../create/duplicate.ts';

/** The fields that a template fills in; the title of its rains stands in `titleOf`. */
export function draftFrom({ rain }: Pick<Template, 'rain'>): Partial<Draft> {
  const { shards, ticketRules } = rain as NonNullable<Draft['kept']>;
  return { ...filledIn(rain), kept: { ...(shards !== undefined && { shards }), ...(ticketRules && { ticketRules }) } };
}

/** The title that a rain gets from a template. The template's own name is for operators, and no player reads it. */
export function titleOf({ title }: Template['rain']): string {
  return typeof title === 'string' ? title : '';
}

/** A template of this form: without its start and its campaign. */
export function templateOf({ campaign: _, ...draft }: Draft) {
  const title = draft.title.trim();
  return { ...(title !== '' && { title }), ...formOf(draft), durationMs: timesOf(draft, 0).durationMs };
}
