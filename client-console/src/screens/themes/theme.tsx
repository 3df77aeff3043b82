import { useState } from 'preact/hooks';
import type { ThemeColours } from '../../../../src/rain/theme.ts';
import type { Theme } from '../../state/responses.ts';
import { go, hashOf } from '../../state/route.ts';
import { useApp, useRequest, useVerb } from '../../state/useApi.ts';
import { Awaited, Empty } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useWords } from '../../words/language.ts';
import { Files } from './files.tsx';
import { Colours, LookForm } from './look.tsx';
import { Phone } from './phone.tsx';
import { WORDS } from './words.ts';

export function ThemePage({ themeId }: { themeId: string }) {
  const { words } = useWords(WORDS);
  const request = useRequest<{ themes: Theme[] }>('themes');
  return (
    <Awaited request={request}>
      {({ themes }) => {
        const theme = themes.find(({ id }) => id === themeId);
        return theme ? (
          <Editor theme={theme} onDone={request.again} />
        ) : (
          <Empty title={words.missing} calm whole>
            <p>
              <code>{themeId}</code>
            </p>
          </Empty>
        );
      }}
    </Awaited>
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
          <a class="back" href={hashOf({ screen: 'themes' })}>
            ← {words.back}
          </a>
          <h1>{theme.title}</h1>
          {theme.isDefault && (
            <p class="chips">
              <span class="chip" data-testid="default">
                {words.isDefault}
              </span>
            </p>
          )}
        </div>
        {mayAct && (
          <div class="acts">
            <Button variant="danger" onClick={() => setRemoving(true)} testId="remove-theme">
              {words.remove}
            </Button>
          </div>
        )}
      </header>
      <div class="create theme-editor">
        <div>
          {mayAct ? (
            <LookForm theme={theme} colours={colours} onColours={setColours} onDone={onDone} />
          ) : (
            <Colours colours={theme.colours} />
          )}
          <Files theme={theme} onDone={onDone} />
        </div>
        <section class="card preview" aria-labelledby="theme-preview">
          <h2 id="theme-preview">{words.preview}</h2>
          <Phone colours={colours} files={theme.files} />
        </section>
      </div>
      {removing && <Remove theme={theme} onClose={() => setRemoving(false)} />}
    </>
  );
}

function Remove({ theme: { id, title }, onClose }: { theme: Theme; onClose: () => void }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const remove = () => api.send<{ removed: true }>('DELETE', `themes/${encodeURIComponent(id)}`);
  return (
    <Dialog
      title={words.removeTitle(title)}
      act={words.remove}
      variant="danger"
      verb={verb}
      onAct={remove}
      staysOpen={() => {
        go({ screen: 'themes' });
        return true;
      }}
      onClose={onClose}
    >
      <p>{words.removeTold}</p>
    </Dialog>
  );
}
