import { useState } from 'preact/hooks';
import type { Template } from '../../state/responses.ts';
import type { RequestState } from '../../state/useApi.ts';
import { Refused } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { reasonIn } from '../../words/refusals.ts';
import { PRESETS, type PresetName } from '../create/draft.ts';
import { WORDS as CREATE_WORDS } from '../create/words.ts';
import { RemoveTemplate, RenameTemplate } from './dialogs.tsx';
import { WORDS } from './words.ts';

/** The preset or template that filled in the form. */
export type Chosen = { preset: PresetName } | { templateId: string };

interface StartFromProps {
  templates: RequestState<{ templates: Template[] }>;
  chosen: Chosen | undefined;
  onPreset: (name: PresetName) => void;
  onTemplate: (template: Template) => void;
}

/**
 * The common rains and the saved templates; the chosen one is marked, and a chosen template can be renamed and removed.
 */
export function StartFrom({ templates, chosen, onPreset, onTemplate }: StartFromProps) {
  const { words: common } = useWords(CREATE_WORDS);
  const { words, shared } = useWords(WORDS);
  const list = templates.value?.templates ?? [];
  const isChosen = (id: string) => chosen !== undefined && 'templateId' in chosen && chosen.templateId === id;
  const summary = ({ plan }: Template['rain']) => {
    const { budget, packets } = Object(plan) as Record<string, unknown>;
    return typeof budget === 'string' && typeof packets === 'number'
      ? words.packetsOf(shared.packets(packets), moneyText(budget))
      : words.template;
  };
  const template = list.find(({ id }) => isChosen(id));
  return (
    <>
      <div class="presets" role="group" aria-label={common.presets}>
        {(Object.keys(PRESETS) as PresetName[]).map((name) => (
          <button
            key={name}
            type="button"
            class="preset"
            data-testid={`preset-${name}`}
            aria-pressed={chosen !== undefined && 'preset' in chosen && chosen.preset === name}
            onClick={() => onPreset(name)}
          >
            <b>{common.preset[name]}</b>
            <small>{common.presetTold[name]}</small>
          </button>
        ))}
        {list.map((one) => (
          <button
            key={one.id}
            type="button"
            class="preset own"
            data-testid="template"
            aria-pressed={isChosen(one.id)}
            onClick={() => onTemplate(one)}
          >
            <b>{one.title}</b>
            <small>{one.refusals.length > 0 ? words.invalid : summary(one.rain)}</small>
          </button>
        ))}
      </div>
      <Refused refusal={templates.refusal} again={templates.again} />
      {template && <ChosenTemplate key={template.id} template={template} onDone={templates.again} />}
    </>
  );
}

function ChosenTemplate({ template, onDone }: { template: Template; onDone: () => void }) {
  const { words, language } = useWords(WORDS);
  const [changing, setChanging] = useState<'rename' | 'remove'>();
  const props = { template, onDone, onClose: () => setChanging(undefined) };
  return (
    <section class="chosen-template" aria-label={words.chosen(template.title)} data-testid="chosen-template">
      <b>{words.chosen(template.title)}</b>
      <div class="acts">
        <Button variant="quiet" onClick={() => setChanging('rename')} testId="rename-template">
          {words.rename}
        </Button>
        <Button variant="quiet" onClick={() => setChanging('remove')} testId="remove-template">
          {words.remove}
        </Button>
      </div>
      {template.refusals.length > 0 && (
        <div class="refused-box" data-testid="template-refusals">
          <p>
            <b>{words.invalid}</b> · {words.invalidTold}
          </p>
          <ul>
            {template.refusals.map(({ field, reason }) => (
              <li key={field + reason}>
                <code>{field}</code> {reasonIn(language, reason)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {changing === 'rename' && <RenameTemplate {...props} />}
      {changing === 'remove' && <RemoveTemplate {...props} />}
    </section>
  );
}
