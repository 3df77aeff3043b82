import { useState } from 'preact/hooks';
import type { Theme } from '../../state/responses.ts';
import { go, hashOf } from '../../state/route.ts';
import { useApp, useRequest, useVerb } from '../../state/useApi.ts';
import { Awaited, Empty, Refused } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { momentText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { newId, refusalsFor } from '../create/draft.ts';
import { Phone } from './phone.tsx';
import { WORDS } from './words.ts';

/** All themes, each as a small phone. */
export function Themes() {
  const { words, language } = useWords(WORDS);
  const { mayAct } = useApp();
  const request = useRequest<{ themes: Theme[] }>('themes');
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
      </header>
      {mayAct && <NewTheme />}
      <Awaited request={request}>
        {({ themes }) =>
          themes.length === 0 ? (
            <Empty title={words.none} calm>
              <p>{words.noneTold}</p>
            </Empty>
          ) : (
            <ul class="themes">
              {themes.map(({ id, title, colours, files, isDefault, changedAt }) => (
                <li key={id} class="card" data-testid="theme">
                  <Phone colours={colours} files={files} />
                  <div>
                    <a class="stretch" href={hashOf({ screen: 'theme', themeId: id })}>
                      <b>{title}</b>
                    </a>
                    {isDefault && (
                      <p>
                        <span class="chip" data-testid="default">
                          {words.isDefault}
                        </span>
                      </p>
                    )}
                    <p>
                      <small>{words.changed(momentText(changedAt, language))}</small>
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Awaited>
    </>
  );
}

function NewTheme() {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [themeId] = useState(() => `t${newId(api.now())}`);
  const [title, setTitle] = useState('');
  const beside = refusalsFor(verb.refusals, 'title');
  const make = async () => {
    const made = await verb.run(() => api.send('PUT', `themes/${themeId}`, { title }));
    if (made) go({ screen: 'theme', themeId });
  };
  return (
    <form
      class="card inline theme-form"
      noValidate
      aria-label={words.create}
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <Field
        label={words.name}
        value={title}
        onInput={setTitle}
        hint={words.nameHint}
        refusals={beside}
        testId="new-theme-title"
      />
      <Button type="submit" variant="main" pending={verb.pending} testId="new-theme">
        {words.make}
      </Button>
      {beside.length === 0 && <Refused refusal={verb.refusal} />}
    </form>
  );
}
