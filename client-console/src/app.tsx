import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Session } from './state/responses.ts';
import { ApiClient } from './state/request.ts';
import { AppContext, type AppState } from './state/useApi.ts';
import { useRoute, type Route } from './state/route.ts';
import { WhileAway } from './components/away.tsx';
import { Account } from './screens/account/account.tsx';
import { Actions } from './screens/actions/actions.tsx';
import { Approvals } from './screens/approvals.tsx';
import { Blocks } from './screens/blocks.tsx';
import { Campaign, Campaigns } from './screens/campaigns.tsx';
import { Create } from './screens/create/create.tsx';
import { CreateSale } from './screens/create-sale/create.tsx';
import { Dead } from './screens/dead-letters.tsx';
import { LiveScreen } from './screens/live/live.tsx';
import { OrderLetters } from './screens/order-letters/order-letters.tsx';
import { Login } from './screens/login.tsx';
import { ParticipantCards } from './screens/participants/cards.tsx';
import { Participants } from './screens/participants/participants.tsx';
import { RainPage } from './screens/rain/rain.tsx';
import { Rains } from './screens/rains.tsx';
import { Queues } from './screens/queues/queues.tsx';
import { Remote } from './screens/remote/remote.tsx';
import { SaleLive } from './screens/sale/live.tsx';
import { Orders } from './screens/sale/orders.tsx';
import { SalePage } from './screens/sale/sale.tsx';
import { Sales } from './screens/sales.tsx';
import { Switches } from './screens/switches.tsx';
import { System } from './screens/system.tsx';
import { ThemePage } from './screens/themes/theme.tsx';
import { Themes } from './screens/themes/themes.tsx';
import { Users } from './screens/users.tsx';
import { Winners } from './screens/winners.tsx';
import { OrdersSheet } from './screens/sheet/orders.tsx';
import { WinnersSheet } from './screens/sheet/winners.tsx';
import { Shell } from './shell.tsx';
import { setCurrency, setTimeZone } from './words/figures.ts';
import { LanguageContext, rememberedLanguage, rememberLanguage, type Language } from './words/language.ts';

/**
 * Holds the session and the language. When the session ends, the page stays behind the login, so that typed text is not
 * lost.
 */
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
    // Nobody is an answer: a refusal would be an error in the browser's console.
    void api.get<Session | undefined>('session?nobody=204').then((answer) => {
      const known = answer.ok ? answer.value : undefined;
      if (known) setSession(known);
      setAccess(known ? 'open' : 'shut');
    });
  }, [api]);

  const signIn = (signedIn: Session) => {
    setSession(signedIn);
    setAccess('open');
  };
  const signOut = () =>
    void api.send('DELETE', 'session').then(() => {
      setSession(undefined);
      setAccess('shut');
    });
  const chooseLanguage = (chosen: Language) => {
    rememberLanguage(chosen);
    setLanguage(chosen);
  };
  const app = useMemo<AppState | undefined>(
    () =>
      session && { api, session, onSession: setSession, mayAct: session.role === 'operator', awake: access === 'open' },
    [api, session, access],
  );

  // Before anything below shows an amount.
  if (session) setCurrency(session.currency);
  if (session) setTimeZone(session.timeZone);
  return (
    <LanguageContext.Provider value={language}>
      {app && (
        <AppContext.Provider value={app}>
          <div class="behind" inert={access !== 'open'}>
            <Shell route={route} onLanguage={chooseLanguage} onLeave={signOut}>
              <WhileAway>
                <Screen route={route} />
              </WhileAway>
            </Shell>
          </div>
        </AppContext.Provider>
      )}
      {(access === 'shut' || access === 'expired') && (
        <Login
          api={api}
          expired={access === 'expired'}
          name={session?.name}
          onEnter={signIn}
          onLanguage={chooseLanguage}
        />
      )}
    </LanguageContext.Provider>
  );
}

/** The screen of a route. The keys reset a screen's state when another rain is opened. */
function Screen({ route }: { route: Route }) {
  return screenOf(route);
}

type ScreenName = Route['screen'];
type RouteTo<Name extends ScreenName> = Route & { screen: Name };

const SCREENS: { [Name in ScreenName]: (route: RouteTo<Name>) => VNode } = {
  rains: () => <Rains />,
  create: ({ campaignId, likeId }) => <Create key={likeId ?? campaignId} campaignId={campaignId} likeId={likeId} />,
  rehearse: () => <Create key="rehearse" rehearsal />,
  rain: ({ rainId }) => <RainPage key={rainId} rainId={rainId} />,
  live: ({ rainId }) => <LiveScreen key={rainId} rainId={rainId} />,
  winners: ({ rainId }) => <Winners key={rainId} rainId={rainId} />,
  'orders-sheet': ({ saleId }) => <OrdersSheet key={saleId} saleId={saleId} />,
  'winners-sheet': ({ rainId }) => <WinnersSheet key={rainId} rainId={rainId} />,
  sales: () => <Sales />,
  'create-sale': ({ campaignId }) => <CreateSale key={campaignId} campaignId={campaignId} />,
  sale: ({ saleId }) => <SalePage key={saleId} saleId={saleId} />,
  'sale-live': ({ saleId }) => <SaleLive key={saleId} saleId={saleId} />,
  orders: ({ saleId }) => <Orders key={saleId} saleId={saleId} />,
  campaigns: () => <Campaigns />,
  campaign: ({ campaignId }) => <Campaign key={campaignId} campaignId={campaignId} />,
  dead: () => <Dead />,
  'order-letters': ({ saleId }) => <OrderLetters key={saleId} saleId={saleId} />,
  themes: () => <Themes />,
  theme: ({ themeId }) => <ThemePage key={themeId} themeId={themeId} />,
  remote: ({ rainId }) => <Remote rainId={rainId} />,
  queues: (route) => <Queues asked={route.queue && { queue: route.queue, state: route.state ?? 'delayed' }} />,
  blocks: () => <Blocks />,
  participants: () => <Participants />,
  'participant-cards': ({ find }) => <ParticipantCards key={find} find={find} />,
  users: () => <Users />,
  switches: () => <Switches />,
  actions: () => <Actions />,
  system: () => <System />,
  approvals: () => <Approvals />,
  account: () => <Account />,
};

function screenOf<Name extends ScreenName>(route: RouteTo<Name>): VNode {
  return SCREENS[route.screen](route);
}
