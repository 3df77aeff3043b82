import { useState } from 'preact/hooks';
import { checkContrast, DEFAULT_COLOURS, THEME_COLOUR_NAMES, type ThemeColours } from '../../../../src/rain/theme.ts';
import type { Theme } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Refused } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { ColourField } from '../../components/colour-field.tsx';
import { Field, Toggle } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { WORDS } from './words.ts';

interface LookProps {
  theme: Theme;
  /** The chosen colours, saved or not. */
  colours: ThemeColours;
  onColours: (colours: ThemeColours) => void;
  onDone: () => void;
}

/** Title and colours of a theme, and whether it is the default one. */
export function LookForm({ theme, colours, onColours, onDone }: LookProps) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [title, setTitle] = useState(theme.title);
  const [isDefault, setIsDefault] = useState(theme.isDefault);
  const [saved, setSaved] = useState(false);
  // The console checks the same; here nobody waits for it.
  const unreadable = checkContrast(colours);
  const changed = () => {
    setSaved(false);
    verb.forget();
  };
  const save = async () => {
    if (unreadable.length > 0) return;
    const done = await verb.run(() =>
      api.send('PUT', `themes/${encodeURIComponent(theme.id)}`, { title, colours, isDefault }),
    );
    if (!done) return;
    setSaved(true);
    onDone();
  };
  const beside = refusalsFor(verb.refusals, 'title');
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <fieldset class="card">
        <legend>{words.look}</legend>
        <Field
          label={words.name}
          value={title}
          onInput={(typed) => {
            changed();
            setTitle(typed);
          }}
          hint={words.nameHint}
          refusals={beside}
          testId="theme-title"
        />
        <div class="colours">
          {THEME_COLOUR_NAMES.map((name) => (
            <ColourField
              key={name}
              label={words.colours[name]}
              value={colours[name]}
              usual={DEFAULT_COLOURS[name]}
              toUsual={words.usual}
              hint={words.colourHints[name]}
              testId={`colour-${name}`}
              refusals={refusalsFor(unreadable, `colours.${name}`)}
              onInput={(chosen) => {
                changed();
                onColours(chosen === undefined ? without(colours, name) : { ...colours, [name]: chosen });
              }}
            />
          ))}
        </div>
        <Toggle
          label={words.useAlways}
          hint={words.useAlwaysHint}
          checked={isDefault}
          onChange={(checked) => {
            changed();
            setIsDefault(checked);
          }}
        />
        {beside.length === 0 && <Refused refusal={verb.refusal} />}
        <div class="acts">
          <Button
            type="submit"
            variant="main"
            pending={verb.pending}
            disabled={unreadable.length > 0}
            testId="save-theme"
          >
            {words.save}
          </Button>
          {saved && (
            <p role="status" class="saved" data-testid="theme-saved">
              {words.saved}
            </p>
          )}
        </div>
      </fieldset>
    </form>
  );
}

/** The colours, for a viewer. */
export function Colours({ colours }: { colours: ThemeColours }) {
  const { words } = useWords(WORDS);
  return (
    <section class="card" aria-label={words.look}>
      <dl class="figures colours-shown">
        {THEME_COLOUR_NAMES.map((name) => (
          <div key={name}>
            <dt>{words.colours[name]}</dt>
            <dd>{colours[name] ?? words.usual}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function without(colours: ThemeColours, name: keyof ThemeColours): ThemeColours {
  const { [name]: _, ...rest } = colours;
  return rest;
}
