import type { FieldRefusal, Theme } from '../../state/responses.ts';
import { useRequest } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { currencyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { mayAddPrize, NO_PRIZE, type TypedGreeting, type TypedPrize } from './typed.ts';
import { WORDS } from './words.ts';

interface FieldsProps {
  typed: TypedGreeting;
  refusals: readonly FieldRefusal[];
  change: (change: Partial<TypedGreeting>) => void;
}

/** The host's words with a rain, and its theme. */
export function GreetingFields({ typed, refusals, change }: FieldsProps) {
  const { words } = useWords(WORDS);
  const themes = useRequest<{ themes: Theme[] }>('themes').value?.themes ?? [];
  const usual = themes.find(({ isDefault }) => isDefault);
  // A theme that is chosen stays chosen while the list is on its way.
  const unlisted =
    typed.theme === '' || themes.some(({ id }) => id === typed.theme) ? [] : [[typed.theme, typed.theme] as const];
  return (
    <>
      <Field
        label={words.sender}
        value={typed.sender}
        onInput={(sender) => change({ sender })}
        hint={words.senderHint}
        refusals={refusalsFor(refusals, 'sender')}
        testId="sender"
      />
      <Field
        label={words.blessing}
        value={typed.blessing}
        onInput={(blessing) => change({ blessing })}
        hint={words.blessingHint}
        refusals={refusalsFor(refusals, 'blessing')}
        testId="blessing"
      />
      <Prizes typed={typed} refusals={refusals} change={change} />
      <Choice
        label={words.theme}
        value={typed.theme}
        onChange={(theme) => change({ theme })}
        testId="greeting-theme"
        options={[
          ['', usual ? words.ownDefault(usual.title) : words.defaultTheme],
          ...themes.map(({ id, title }) => [id, title] as const),
          ...unlisted,
        ]}
      />
    </>
  );
}

/** The greetings of large wins, one line each. */
function Prizes({ typed, refusals, change }: FieldsProps) {
  const { words } = useWords(WORDS);
  const { prizes } = typed;
  const put = (at: number, changed: Partial<TypedPrize>) =>
    change({ prizes: prizes.map((prize, i) => (i === at ? { ...prize, ...changed } : prize)) });
  const add = mayAddPrize(typed) && (
    <Button variant="quiet" onClick={() => change({ prizes: [...prizes, NO_PRIZE] })} testId="add-prize">
      + {words.addPrize}
    </Button>
  );
  if (prizes.length === 0) return <>{add}</>;
  return (
    <div class="split-rows" role="group" aria-label={words.prizes}>
      {prizes.map(({ from, blessing }, i) => (
        <div class="pair split-row" key={i}>
          <Field
            label={words.prizeFrom}
            unit={currencyText()}
            inputMode="decimal"
            value={from}
            onInput={(text) => put(i, { from: text })}
            refusals={refusalsFor(refusals, `prizes.${i}.from`)}
            testId={`prize-from-${i}`}
          />
          <Field
            label={words.blessing}
            value={blessing}
            onInput={(text) => put(i, { blessing: text })}
            refusals={refusalsFor(refusals, `prizes.${i}.blessing`)}
            testId={`prize-blessing-${i}`}
          />
          <Button
            variant="quiet"
            label={words.removePrize(i + 1)}
            onClick={() => change({ prizes: prizes.filter((_, at) => at !== i) })}
          >
            ✕
          </Button>
        </div>
      ))}
      {add}
    </div>
  );
}
