import { useState } from 'preact/hooks';
import { checkThemeFile, THEME_FILE_LIMITS } from '../../../../src/rain/theme/files.ts';
import { THEME_FILE_KINDS, type ThemeFileKind } from '../../../../src/rain/theme.ts';
import { ApiClient } from '../../state/request.ts';
import type { FieldRefusal, Theme } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Refused } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { bytesText, countText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { reasonIn } from '../../words/refusals.ts';
import { usePicture } from './usePicture.ts';
import { WORDS } from './words.ts';

interface FilesProps {
  theme: Theme;
  onDone: () => void;
}

/** The pictures and the music of a theme. */
export function Files(props: FilesProps) {
  const { words } = useWords(WORDS);
  const { mayAct } = useApp();
  return (
    <section class="card" aria-labelledby="theme-files">
      <h2 id="theme-files">{words.files}</h2>
      {mayAct && <p class="hint">{words.filesTold}</p>}
      <ul class="theme-files">
        {THEME_FILE_KINDS.map((kind) => (
          <FileRow key={kind} kind={kind} {...props} />
        ))}
      </ul>
    </section>
  );
}

function FileRow({ kind, theme, onDone }: FilesProps & { kind: ThemeFileKind }) {
  const { words, language } = useWords(WORDS);
  const { api, mayAct } = useApp();
  const verb = useVerb();
  const [refused, setRefused] = useState<readonly FieldRefusal[]>([]);
  const file = theme.files[kind];
  const limits = THEME_FILE_LIMITS[kind];
  const name = words.kinds[kind];
  const path = `themes/${encodeURIComponent(theme.id)}/files/${kind}`;
  const put = async (chosen: File) => {
    // The console checks the same; a file that is too large is not even sent.
    const checked = checkThemeFile(kind, new Uint8Array(await chosen.arrayBuffer()));
    setRefused(checked.ok ? [] : checked.refusals);
    verb.forget();
    if (checked.ok && (await verb.run(() => api.put<Theme>(path, chosen)))) onDone();
  };
  const takeOut = async () => {
    if (await verb.run(() => api.send<Theme>('DELETE', path))) onDone();
  };
  return (
    <li data-testid={`file-${kind}`}>
      <div class="theme-file">{file ? <Shown kind={kind} file={file} /> : <small>{words.noFile}</small>}</div>
      <div>
        <h3>
          {name}
          {file && <small> {bytesText(file.bytes)}</small>}
        </h3>
        {mayAct && (
          <>
            <p class="hint">
              {limits.is === 'picture'
                ? words.picture(bytesText(limits.bytesMax), countText(limits.sidePixelsMax))
                : words.sound(bytesText(limits.bytesMax))}
            </p>
            <input
              type="file"
              accept={
                limits.is === 'picture'
                  ? 'image/png,image/jpeg,image/webp'
                  : 'audio/mpeg,audio/mp4,audio/ogg,.mp3,.m4a,.ogg'
              }
              aria-label={words.choose(name)}
              data-testid={`choose-${kind}`}
              onChange={(event) => {
                const { currentTarget: input } = event;
                const chosen = input.files?.[0];
                // The same file may be chosen again after it was corrected.
                if (chosen)
                  void put(chosen).then(() => {
                    input.value = '';
                  });
              }}
            />
            {refused.length > 0 && (
              <p class="refusal" role="alert">
                {refused.map(({ reason }) => reasonIn(language, reason)).join(' · ')}
              </p>
            )}
            <Refused refusal={verb.refusal} />
          </>
        )}
      </div>
      {mayAct && file && (
        <Button
          label={`${words.removeFile}: ${name}`}
          pending={verb.pending}
          onClick={() => void takeOut()}
          testId={`remove-${kind}`}
        >
          {words.removeFile}
        </Button>
      )}
    </li>
  );
}

function Shown({ kind, file: { url } }: { kind: ThemeFileKind; file: NonNullable<Theme['files'][ThemeFileKind]> }) {
  const { words } = useWords(WORDS);
  const label = words.pictureOf(words.kinds[kind]);
  const picture = usePicture(kind === 'music' ? undefined : url);
  if (kind === 'music')
    return <audio controls preload="none" src={ApiClient.fileAddress(url)} aria-label={label} data-testid="music" />;
  return picture === undefined ? null : <img src={picture} alt={label} />;
}
