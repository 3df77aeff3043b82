import type { FieldRefusal, Theme } from '../../state/responses.ts';
import { useRequest } from '../../state/useApi.ts';
import { Choice, Field } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import type { TypedGreeting } from './typed.ts';
import { WORDS } from './words.ts';

interface FieldsProps {
  typed: TypedGreeting;
  refusals: readonly FieldRefusal[];
  change: (change: Partial<TypedGreeting>) => void;
}

/** What the host says with a rain, and its theme. */
export function GreetingFields({ typed, refusals, change }: FieldsProps) {
  const { words } = useWords(WORDS);
  const themes = useRequest<{ themes: Theme[] }>('themes').value?.themes ?? [];
  const usual = themes.find(({ isDefault }) => isDefault);
  // A theme that is chosen stays chosen while the list is on its way.
  const unlisted = typed.theme === '' || themes.some(({ id }) => id === typed.theme) ? [] : [[typed.theme, typed.theme] as const];
  return (
    <>
      <Field label={words.sender} value={typed.sender} onInput={(sender) => change({ sender })} hint={words.senderHint} refusals={refusalsFor(refusals, 'sender')} testId="sender" />
      <Field label={words.blessing} value={typed.blessing} onInput={(blessing) => change({ blessing })} hint={words.blessingHint} refusals={refusalsFor(refusals, 'blessing')} testId="blessing" />
      <Choice label={words.theme} value={typed.theme} onChange={(theme) => change({ theme })} testId="greeting-theme"
        options={[['', usual ? words.ownDefault(usual.title) : words.defaultTheme], ...themes.map(({ id, title }) => [id, title] as const), ...unlisted]} />
    </>
  );
}
