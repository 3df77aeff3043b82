import { useState } from 'preact/hooks';
import { checkContrast, DEFAULT_COLOURS, THEME_COLOUR_NAMES, type ThemeColours } from '../../../../src/rain/theme.ts';
import type { Theme } from '../../state/responses.ts';
import { go, hashOf } from '../../state/route.ts';
import { useApp, useRequest, useVerb } from '../../state/useApi.ts';
import { Awaited, Empty, Refused } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { ColourField } from '../../components/colour-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Toggle } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { Files } from './files.tsx';
import { Phone } from './phone.tsx';
import { WORDS } from './words.ts';

export function ThemePage({ themeId }: { themeId: string }) {
  const { words } = useWords(WORDS);
  const request = useRequest<{ themes: Theme[] }>('themes');
  return (
    <Awaited request={request}>{({ themes }) => {
      const theme = themes.find(({ id }) => id === themeId);
      return theme ? <Editor theme={theme} onDone={request.again} /> : <Empty title={words.missing} calm whole><p><code>{themeId}</code></p></Empty>;
    }}</Awaited>
  );
}

/** A theme with a phone that shows it while it is changed. */
function Editor({ theme, onDone }: { theme: Theme; onDone: () => void }) {
  const { words } = useWords(WORDS);
  const { mayAct } = useApp();
  const [colours, setColours] = useState<ThemeColours>(theme.colours);
  const [removing, setRemoving] = useState(false);
  return (
    <>
      <header class="head">
        <div>
          <a class="back" href={hashOf({ screen: 'themes' })}>← {words.back}</a>
          <h1>{theme.title}</h1>
          {theme.isDefault && <p class="chips"><span class="chip" data-testid="default">{words.isDefault}</span></p>}
        </div>
        {mayAct && <div class="acts"><Button variant="danger" onClick={() => setRemoving(true)} testId="remove-theme">{words.remove}</Button></div>}
      </header>
      <div class="create theme-editor">
        <div>
          {mayAct && <LookForm theme={theme} colours={colours} onColours={setColours} onDone={onDone} />}
          <Files theme={theme} onDone={onDone} />
        </div>
        <section class="card preview" aria-labelledby="theme-preview"><h2 id="theme-preview">{words.preview}</h2><Phone colours={colours} files={theme.files} /></section>
      </div>
      {removing && <Remove theme={theme} onClose={() => setRemoving(false)} />}
    </>
  );
}

function LookForm({ theme, colours, onColours, onDone }: { theme: Theme; colours: ThemeColours; onColours: (colours: ThemeColours) => void; onDone: () => void }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [title, setTitle] = useState(theme.title);
  const [isDefault, setIsDefault] = useState(theme.isDefault);
  const [saved, setSaved] = useState(false);
  // The console checks the same; here nobody waits for it.
  const unreadable = checkContrast(colours);
  const changed = () => { setSaved(false); verb.forget(); };
  const save = async () => {
    if (unreadable.length > 0) return;
    const done = await verb.run(() => api.send('PUT', `themes/${encodeURIComponent(theme.id)}`, { title, colours, isDefault }));
    if (!done) return;
    setSaved(true);
    onDone();
  };
  const beside = refusalsFor(verb.refusals, 'title');
  return (
    <form noValidate onSubmit={(event) => { event.preventDefault(); void save(); }}>
      <fieldset class="card">
        <legend>{words.look}</legend>
        <Field label={words.name} value={title} onInput={(typed) => { changed(); setTitle(typed); }} hint={words.nameHint} refusals={beside} testId="theme-title" />
        <div class="colours">{THEME_COLOUR_NAMES.map((name) => (
          <ColourField
            key={name} label={words.colours[name]} value={colours[name]} usual={DEFAULT_COLOURS[name]} toUsual={words.usual} hint={words.colourHints[name]} testId={`colour-${name}`}
            refusals={refusalsFor(unreadable, `colours.${name}`)} onInput={(chosen) => { changed(); onColours(chosen === undefined ? without(colours, name) : { ...colours, [name]: chosen }); }}
          />
        ))}</div>
        <Toggle label={words.useAlways} hint={words.useAlwaysHint} checked={isDefault} onChange={(checked) => { changed(); setIsDefault(checked); }} />
        {beside.length === 0 && <Refused refusal={verb.refusal} />}
        <div class="acts"><Button type="submit" variant="main" pending={verb.pending} disabled={unreadable.length > 0} testId="save-theme">{words.save}</Button>{saved && <p role="status" class="saved" data-testid="theme-saved">{words.saved}</p>}</div>
      </fieldset>
    </form>
  );
}

function without(colours: ThemeColours, name: keyof ThemeColours): ThemeColours {
  const { [name]: _, ...rest } = colours;
  return rest;
}

function Remove({ theme: { id, title }, onClose }: { theme: Theme; onClose: () => void }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const remove = () => api.send<{ removed: true }>('DELETE', `themes/${encodeURIComponent(id)}`);
  return <Dialog title={words.removeTitle(title)} act={words.remove} variant="danger" verb={verb} onAct={remove} staysOpen={() => { go({ screen: 'themes' }); return true; }} onClose={onClose}><p>{words.removeTold}</p></Dialog>;
}
