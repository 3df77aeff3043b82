import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Session } from './state/responses.ts';
import { ApiClient } from './state/request.ts';
import { AppContext, type AppState } from './state/useApi.ts';
import { useRoute } from './state/route.ts';
import { Login } from './screens/login.tsx';
import { Screen } from './screens/screen.tsx';
import { Shell } from './shell.tsx';
import { LanguageContext, rememberedLanguage, rememberLanguage, type Language } from './words/language.ts';

/** Holds the session and the language. When the session ends, the page stays behind the login, so that typed text is not lost. */
export function App() {
  const [language, setLanguage] = useState<Language>(rememberedLanguage);
  const [session, setSession] = useState<Session>();
  const [access, setAccess] = useState<'unknown' | 'open' | 'shut' | 'expired'>('unknown');
  const api = useMemo(() => new ApiClient(), []);
  const route = useRoute();

  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  }, [language]);
  useEffect(() => {
    api.onExpired = () => setAccess((before) => (before === 'open' ? 'expired' : before));
    void api.resume().then((answer) => {
      if (answer.ok) setSession(answer.value);
      setAccess(answer.ok ? 'open' : 'shut');
    });
  }, [api]);

  const signIn = (signedIn: Session) => {
    setSession(signedIn);
    setAccess('open');
  };
  const signOut = () => void api.logout().then(() => {
    setSession(undefined);
    setAccess('shut');
  });
  const chooseLanguage = (chosen: Language) => {
    rememberLanguage(chosen);
    setLanguage(chosen);
  };
  const app = useMemo<AppState | undefined>(() => session && { api, session, mayAct: session.role === 'operator', awake: access === 'open' }, [api, session, access]);

  return (
    <LanguageContext.Provider value={language}>
      {app && (
        <AppContext.Provider value={app}>
          <div class="behind" inert={access !== 'open'}>
            <Shell route={route} onLanguage={chooseLanguage} onLeave={signOut}><Screen route={route} /></Shell>
          </div>
        </AppContext.Provider>
      )}
      {(access === 'shut' || access === 'expired') && <Login api={api} expired={access === 'expired'} name={session?.name} onEnter={signIn} onLanguage={chooseLanguage} />}
    </LanguageContext.Provider>
  );
}
