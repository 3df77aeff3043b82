import { useState } from 'preact/hooks';
import type { RainDetail, Theme } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { useApp, useRequest, useVerb } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { GreetingFields } from './fields.tsx';
import { greetingOf, typedGreeting } from './typed.ts';
import { WORDS } from './words.ts';

interface GreetingProps {
  rain: Pick<RainDetail, 'rainId' | 'title' | 'terms' | 'greeting'>;
  onDone: () => void;
}

/** The greeting of a rain, on its page. */
export function GreetingCard({ rain, onDone }: GreetingProps) {
  const { words } = useWords(WORDS);
  const { mayAct } = useApp();
  const [changing, setChanging] = useState(false);
  const { sender, blessing, prizes = [], theme } = rain.greeting ?? {};
  return (
    <section class="card" aria-labelledby="greeting">
      <div class="row">
        <h2 id="greeting">{words.title}</h2>
        {mayAct && (
          <Button
            variant="quiet"
            onClick={() => setChanging(true)}
            label={`${words.title}: ${words.change}`}
            testId="change-greeting"
          >
            {words.change}
          </Button>
        )}
      </div>
      <dl class="greeting" data-testid="greeting">
        <div>
          <dt>{words.sender}</dt>
          <dd>{sender ?? words.none}</dd>
        </div>
        <div>
          <dt>{words.blessing}</dt>
          <dd>{blessing ?? words.none}</dd>
        </div>
        {prizes.length > 0 && (
          <div>
            <dt>{words.prizes}</dt>
            {prizes.map((prize) => (
              <dd key={prize.from}>{words.prize(moneyText(prize.from), prize.blessing)}</dd>
            ))}
          </div>
        )}
        <div>
          <dt>{words.theme}</dt>
          <dd>{theme === undefined ? words.defaultTheme : <ThemeName themeId={theme} />}</dd>
        </div>
      </dl>
      {changing && (
        <Change
          rain={rain}
          onDone={() => {
            setChanging(false);
            onDone();
          }}
        />
      )}
    </section>
  );
}

/** The title of a theme, which leads to it. */
function ThemeName({ themeId }: { themeId: string }) {
  const request = useRequest<{ themes: Theme[] }>('themes');
  return (
    <a href={hashOf({ screen: 'theme', themeId })}>
      {request.value?.themes.find(({ id }) => id === themeId)?.title ?? themeId}
    </a>
  );
}

/** All of it is replaced. */
function Change({ rain: { rainId, title, terms, greeting }, onDone }: GreetingProps) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [typed, setTyped] = useState(() => typedGreeting(greeting));
  return (
    <Dialog
      title={words.changeTitle(title)}
      act={words.save}
      verb={verb}
      fields={['sender', 'blessing', ...typed.prizes.flatMap((_, i) => [`prizes.${i}.from`, `prizes.${i}.blessing`])]}
      onClose={onDone}
      onAct={() => api.send('PUT', `rains/${encodeURIComponent(rainId)}/greeting`, greetingOf(typed))}
    >
      <p>{terms.invitedOnly ? words.invited : words.told}</p>
      <GreetingFields
        typed={typed}
        refusals={verb.refusals}
        change={(change) => {
          verb.forget();
          setTyped((before) => ({ ...before, ...change }));
        }}
      />
    </Dialog>
  );
}
