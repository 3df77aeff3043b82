import { useState } from 'preact/hooks';
import type { Answer } from '../../state/request.ts';
import type { Template } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { newId, refusalsFor } from '../create/draft.ts';
import type { templateOf } from './template-draft.ts';
import { WORDS } from './words.ts';

const pathOf = (id: string) => `templates/${encodeURIComponent(id)}`;

interface SaveProps {
  /** A first title, which may be changed. */
  title: string;
  /** The saved rain: a form, or a rain by its id. */
  said: { rain: ReturnType<typeof templateOf> } | { from: string };
  /** Absent: the dialog says itself that it is saved. */
  onSaved?: (template: Template) => void;
  onClose: () => void;
}

/** Asks for a title. A template that has this title is replaced, after a second question. */
export function SaveTemplate({ title: first, said, onSaved, onClose }: SaveProps) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [title, setTitle] = useState(first);
  const [ownId] = useState(() => `t${newId(api.now())}`);
  const [replaced, setReplaced] = useState<string>();
  const [saved, setSaved] = useState<Template>();
  const save = async (): Promise<Answer<Template | undefined>> => {
    const known = await api.get<{ templates: Template[] }>('templates');
    if (!known.ok) return known;
    const same = known.value.templates.find((template) => template.title === title.trim());
    if (same && same.id !== replaced) {
      setReplaced(same.id);
      return { ok: true, value: undefined };
    }
    const answer = await api.send<Template>('PUT', pathOf(same?.id ?? ownId), { title, ...said });
    if (answer.ok && onSaved) onSaved(answer.value);
    else if (answer.ok) setSaved(answer.value);
    return answer;
  };
  const asks = replaced !== undefined;
  return (
    <Dialog
      title={words.saveTitle}
      act={asks ? words.replace : words.save}
      variant={asks ? 'danger' : 'main'}
      verb={verb}
      fields={['title']}
      over={saved !== undefined}
      onAct={save}
      staysOpen={(done) => done === undefined || !onSaved}
      onClose={onClose}
    >
      {saved ? (
        <p role="status" data-testid="template-saved">
          {words.saved(saved.title)}
        </p>
      ) : (
        <>
          <p>{words.saveTold}</p>
          <Field
            label={words.title}
            value={title}
            hint={words.titleHint}
            refusals={refusalsFor(verb.refusals, 'title')}
            testId="template-title"
            autofocus
            onInput={(typed) => {
              verb.forget();
              setReplaced(undefined);
              setTitle(typed);
            }}
          />
          <p role="status" data-testid="replaces">
            {asks && words.replaceTold(title.trim())}
          </p>
        </>
      )}
    </Dialog>
  );
}

interface ChangeProps {
  template: Template;
  onDone: () => void;
  onClose: () => void;
}

export function RenameTemplate({ template, onDone, onClose }: ChangeProps) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [title, setTitle] = useState(template.title);
  return (
    <Dialog
      title={words.renameTitle(template.title)}
      act={words.rename}
      verb={verb}
      fields={['title']}
      onAct={() => api.send('PUT', pathOf(template.id), { title })}
      staysOpen={() => {
        onDone();
        return false;
      }}
      onClose={onClose}
    >
      <Field
        label={words.title}
        value={title}
        onInput={(typed) => {
          verb.forget();
          setTitle(typed);
        }}
        hint={words.titleHint}
        refusals={refusalsFor(verb.refusals, 'title')}
        testId="template-title"
        autofocus
      />
    </Dialog>
  );
}

export function RemoveTemplate({ template, onDone, onClose }: ChangeProps) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  return (
    <Dialog
      title={words.removeTitle(template.title)}
      act={words.remove}
      variant="danger"
      verb={verb}
      onAct={() => api.send('DELETE', pathOf(template.id))}
      staysOpen={() => {
        onDone();
        return false;
      }}
      onClose={onClose}
    >
      <p>{words.removeTold}</p>
    </Dialog>
  );
}
