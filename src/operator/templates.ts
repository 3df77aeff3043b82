import { z } from 'zod';
import type { Ledger } from '../ledger/ledger.ts';
import type { BookedTemplate } from '../ledger/templates.ts';
import { iso } from '../rain/figures.ts';
import { plainRainId } from '../rain/ids.ts';
import type { RainPlan } from '../rain/plan.ts';
import { refusalsOf, type Refusal } from '../rain/refusal.ts';
import { TEMPLATES_MAX, type TemplateRain } from '../rain/template.ts';
import { requestedTermNames } from '../rain/terms.ts';
import { themeTitle } from '../rain/theme/check.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { usualTitle } from './create.ts';
import { showRain } from './list.ts';
import { rainForm, readForm } from './rainForm.ts';
import { unknownReason } from './restore/presence.ts';
import { themeRefusal } from './themes.ts';
import { rainDuration } from './window.ts';

/** A template as the operator sees it; `changedAt` is ISO. */
export interface ShownTemplate {
  id: string;
  title: string;
  /** As it was saved; what `refusals` names may have any form. */
  rain: Readonly<Record<string, unknown>>;
  /**
   * Why no rain can be created from it as it is; none: one can. An older version may have saved it, or its theme is
   * gone.
   */
  refusals: Refusal[];
  changedAt: string;
}

type Templates = Pick<OperatorContext, 'ledger' | 'actor'>;
type Themes = { ledger: Pick<Ledger, 'themes'> };
type Saved = { ok: true; template: ShownTemplate } | Refused;

/** @param from the id of a rain: the template is taken from it. Without `rain` and `from` only the title changes */
interface RequestedTemplate {
  id: string;
  title: string;
  rain?: unknown;
  from?: string | undefined;
}

const naming = z.object({ id: plainRainId, title: themeTitle });
const templateRain = z.strictObject(
  { ...rainForm, durationMs: rainDuration },
  { error: ({ code }) => (code === 'invalid_type' ? 'expected an object with plan and durationMs' : undefined) },
);

export async function listTemplates({ ledger }: Pick<Templates, 'ledger'>): Promise<{ templates: ShownTemplate[] }> {
  const [saved, themes] = await Promise.all([ledger.templates(), ledger.themes()]);
  return {
    templates: await Promise.all(saved.map((template) => shown({ ledger: { themes: async () => themes } }, template))),
  };
}

/** Makes a template or replaces it. Safe to repeat. */
export async function saveTemplate(context: OperatorContext, requested: RequestedTemplate): Promise<Saved> {
  const { from, rain: form } = requested;
  const named = naming.safeParse(requested);
  if (!named.success) return { ok: false, refusals: refusalsOf(named.error, 'template') };
  if (from !== undefined && form !== undefined)
    return refuse('from', 'expected either a rain to take it from or what it says, not both');
  const taken = from === undefined ? { ok: true as const, rain: form } : await rainOf(context, from);
  if (!taken.ok) return taken;
  const checked = taken.rain === undefined ? { ok: true as const } : await checkRain(context, taken.rain);
  if (!checked.ok)
    return {
      ok: false,
      refusals: checked.refusals.map(({ field, reason }) => ({
        field: field === 'rain' ? field : `rain.${field}`,
        reason,
      })),
    };
  const { id, title } = named.data;
  const saved = await context.ledger.saveTemplate(
    { id, title, ...('rain' in checked && { rain: checked.rain }) },
    context.actor,
  );
  if (saved === 'full')
    return refuse('id', `there are ${TEMPLATES_MAX} templates, which is the most; remove one first`);
  return saved === 'unknown' ? unknown(id) : findTemplate(context, id);
}

export async function removeTemplate(
  { ledger, actor }: Templates,
  id: string,
): Promise<{ ok: true; removed: true } | Refused> {
  return (await ledger.removeTemplate(id, actor)) ? { ok: true, removed: true } : unknown(id);
}

export async function findTemplate({ ledger }: Pick<Templates, 'ledger'>, id: string): Promise<Saved> {
  const found = (await ledger.templates()).find((template) => template.id === id);
  return found ? { ok: true, template: await shown({ ledger }, found) } : unknown(id);
}

/** The fields of a rain that others like it can have, too: a round of a campaign without the fields of rounds. */
async function rainOf(context: OperatorContext, rainId: string): Promise<{ ok: true; rain: unknown } | Refused> {
  const rain = await showRain(context, rainId);
  if (!rain) return refuse('from', await unknownReason(context, rainId));
  const { title, plan, shards, terms, ticketRules, greeting } = rain;
  const kept = requestedTermNames('rains of their own').flatMap((name) =>
    terms[name] === undefined ? [] : [[name, terms[name]]],
  );
  return {
    ok: true,
    rain: {
      ...(title !== usualTitle(rainId) && { title }),
      plan,
      durationMs: Date.parse(rain.closesAt) - Date.parse(rain.opensAt),
      ...(shards > 1 && { shards }),
      terms: Object.fromEntries(kept),
      ...(ticketRules && { ticketRules }),
      ...(greeting && { greeting }),
    },
  };
}

/** The one rule for what is saved and for what was saved: that of a new rain. */
async function checkRain(context: Themes, requested: unknown): Promise<{ ok: true; rain: TemplateRain } | Refused> {
  const read = readForm(templateRain, requested, () => false);
  if (!read.ok) return read;
  const { plan, title, durationMs, shards, terms, ticketRules, greeting } = read.data;
  const noTheme = await themeRefusal(context, greeting?.theme, 'greeting.theme');
  if (noTheme) return noTheme;
  // `readForm` has checked the plan, which is kept as it was requested.
  return {
    ok: true,
    rain: {
      ...(title !== undefined && { title }),
      plan: plan as RainPlan,
      durationMs,
      ...(shards !== undefined && { shards }),
      terms,
      ...(ticketRules && { ticketRules }),
      ...(greeting && { greeting }),
    },
  };
}

async function shown(context: Themes, { rain, changedAt, ...plain }: BookedTemplate): Promise<ShownTemplate> {
  const checked = await checkRain(context, rain);
  return {
    ...plain,
    rain: Object(rain) as ShownTemplate['rain'],
    refusals: checked.ok ? [] : checked.refusals,
    changedAt: iso(changedAt),
  };
}

function unknown(id: string): Refused {
  return refuse('template', `there is no template ${id}`);
}
