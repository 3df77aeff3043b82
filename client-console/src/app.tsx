import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Session } from './state/responses.ts';
import { Ask } from './state/request.ts';
import { AppContext, type AppState } from './state/app.ts';
import { useRoute } from './state/route.ts';
import { Login } from './screens/login.tsx';
import { Screen } from './screens/screen.tsx';
import { Shell } from './shell.tsx';
import { LanguageContext, rememberedLanguage, rememberLanguage, type Language } from './words/language.ts';

/** Who looks, and in which language. A session that ends leaves the page as it is behind the login: what was typed is still there afterwards. */
export function App() {
  const [language, setLanguage] = useState<Language>(rememberedLanguage);
  const [session, setSession] = useState<Session>();
  const [door, setDoor] = useState<'unknown' | 'open' | 'shut' | 'expired'>('unknown');
  const ask = useMemo(() => new Ask(), []);
  const route = useRoute();

  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  }, [language]);
  useEffect(() => {
    ask.onExpired = () => setDoor((before) => (before === 'open' ? 'expired' : before));
    void ask.resume().then((answer) => {
      if (answer.ok) setSession(answer.value);
      setDoor(answer.ok ? 'open' : 'shut');
    });
  }, [ask]);

  const enter = (entered: Session) => {
    setSession(entered);
    setDoor('open');
  };
  const leave = () => void ask.logout().then(() => {
    setSession(undefined);
    setDoor('shut');
  });
  const speak = (chosen: Language) => {
    rememberLanguage(chosen);
    setLanguage(chosen);
  };
  const app = useMemo<AppState | undefined>(() => session && { ask, session, mayAct: session.role === 'operator', awake: door === 'open' }, [ask, session, door]);

  return (
    <LanguageContext.Provider value={language}>
      {app && (
        <AppContext.Provider value={app}>
          <div class="behind" inert={door !== 'open'}>
            <Shell route={route} onLanguage={speak} onLeave={leave}><Screen route={route} /></Shell>
          </div>
        </AppContext.Provider>
      )}
      {(door === 'shut' || door === 'expired') && <Login ask={ask} expired={door === 'expired'} name={session?.name} onEnter={enter} onLanguage={speak} />}
    </LanguageContext.Provider>
  );
}
