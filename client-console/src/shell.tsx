import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { applyColourScheme, COLOUR_SCHEMES, rememberedColourScheme, type ColourScheme } from './state/colourScheme.ts';
import { DeadLettersContext, listToOpen, useDeadLetters } from './state/deadLetters.ts';
import { useApp } from './state/useApi.ts';
import { hashOf, type Route } from './state/route.ts';
import { Button } from './components/button.tsx';
import { RemoteEntry } from './screens/remote/links.tsx';
import { countText } from './words/figures.ts';
import { bilingual, useWords, type Language } from './words/language.ts';

const WORDS = bilingual(
  {
    brand: 'Red-packet rain',
    skip: 'Skip to the content',
    menu: 'Menu',
    rains: 'Rains',
    sales: 'Sales',
    create: 'New rain',
    createSale: 'New sale',
    campaigns: 'Campaigns',
    themes: 'Themes',
    dead: 'Dead letters',
    blocks: 'Blocked',
    participants: 'Participants',
    users: 'Personal data',
    switches: 'Switches',
    approvals: 'Approvals',
    actions: 'Audit log',
    system: 'System',
    queues: 'Queues',
    leave: 'Sign out',
    account: 'Your account',
    totpNeeded: 'To act you need one-time codes: set them up',
    language: '中文',
    viewer: 'viewer',
    operator: 'operator',
    colourScheme: { auto: 'Colour scheme: as the system', light: 'Colour scheme: light', dark: 'Colour scheme: dark' },
  },
  {
    brand: '红包雨',
    skip: '跳到内容',
    menu: '菜单',
    rains: '红包雨',
    sales: '秒杀',
    create: '新建',
    createSale: '新建秒杀',
    campaigns: '系列活动',
    themes: '主题',
    dead: '异常记录',
    blocks: '封禁名单',
    participants: '参与者名单',
    users: '个人数据',
    switches: '开关',
    approvals: '审批',
    actions: '操作日志',
    system: '系统',
    queues: '队列',
    leave: '退出登录',
    account: '我的账号',
    totpNeeded: '操作前须启用动态验证码：前往设置',
    language: 'English',
    viewer: '只读',
    operator: '操作员',
    colourScheme: { auto: '外观：跟随系统', light: '外观：浅色', dark: '外观：深色' },
  },
);

/** One path per icon, on a 20 × 20 grid. */
const ICONS = {
  rain: 'M5 3h10a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM4 6q6 5 12 0M10 11.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  rounds: 'M4 5h8M4 10h8M4 15h8M15 5h1M15 10h1M15 15h1',
  bag: 'M5 7h10l1 10H4zM7.5 9V6a2.5 2.5 0 0 1 5 0v3',
  palette:
    'M10 3a7 7 0 1 0 0 14c1.6 0 1.8-1.2 1.2-2.2-.7-1.2.2-2.3 1.5-2.3H15a2 2 0 0 0 2-2A7.2 7.2 0 0 0 10 3zM6.5 10.5h.01M8 7h.01M12 6.5h.01',
  letter: 'M3 5h14v10H3zM3 6l7 5 7-5',
  block: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5 5l10 10',
  badge: 'M4 7h12v10H4zM8 9V3h4v6M7 14h6',
  person: 'M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17a6 6 0 0 1 12 0',
  switch: 'M7 6h6a4 4 0 0 1 0 8H7a4 4 0 0 1 0-8zM7 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  pair: 'M7 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17v-2a4 4 0 0 1 4-4h2M12 14l2.5 2.5L18 11',
  book: 'M5 3h9a1 1 0 0 1 1 1v13H6a2 2 0 0 1-2-2V4a1 1 0 0 1 1-1zM4 15a2 2 0 0 1 2-2h9M8 7h4',
  pulse: 'M3 10h3l2-5 4 10 2-5h3',
  queue: 'M3 5h14M3 10h9M3 15h5M14 12l3 3-3 3',
  auto: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 3v14M10 6h4M10 9h6M10 12h6M10 15h3',
  light:
    'M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10 2v2M10 16v2M2 10h2M16 10h2M4.5 4.5l1.4 1.4M14.1 14.1l1.4 1.4M4.5 15.5l1.4-1.4M14.1 5.9l1.4-1.4',
  dark: 'M16 12a6.5 6.5 0 0 1-8-8 6.5 6.5 0 1 0 8 8z',
} as const;

/** The screens of the menu and their icons. */
const PLACES = [
  ['rains', 'rain'],
  ['sales', 'bag'],
  ['campaigns', 'rounds'],
  ['themes', 'palette'],
  ['dead', 'letter'],
  ['blocks', 'block'],
  ['participants', 'badge'],
  ['users', 'person'],
  ['switches', 'switch'],
  ['approvals', 'pair'],
  ['actions', 'book'],
  ['queues', 'queue'],
  ['system', 'pulse'],
] as const;

/** The menu entry of a screen. */
function placeOf({ screen }: Route): Route['screen'] {
  if (
    screen === 'rain' ||
    screen === 'live' ||
    screen === 'winners' ||
    screen === 'winners-sheet' ||
    screen === 'create' ||
    screen === 'rehearse'
  )
    return 'rains';
  if (
    screen === 'sale' ||
    screen === 'sale-live' ||
    screen === 'orders' ||
    screen === 'orders-sheet' ||
    screen === 'create-sale'
  )
    return 'sales';
  if (screen === 'order-letters') return 'dead';
  if (screen === 'participant-cards') return 'participants';
  if (screen === 'theme') return 'themes';
  return screen === 'campaign' ? 'campaigns' : screen;
}

interface ShellProps {
  route: Route;
  children: ComponentChildren;
  onLanguage: (language: Language) => void;
  onLeave: () => void;
}

export function Shell({ route, children, onLanguage, onLeave }: ShellProps) {
  const { words, language } = useWords(WORDS);
  const { session, mayAct } = useApp();
  const [scheme, setScheme] = useState<ColourScheme>(rememberedColourScheme);
  const [open, setOpen] = useState(false);
  const content = useRef<HTMLElement>(null);
  const hash = hashOf(route);
  const letters = useDeadLetters();
  const deadCount = letters.counts.dead + letters.counts['order-letters'];
  // A new screen starts at its top and sets the title for screen readers.
  useEffect(() => {
    setOpen(false);
    scrollTo(0, 0);
    document.title = `${words.brand} · ${content.current?.querySelector('h1')?.textContent ?? 'Console'}`;
  }, [hash, words]);
  const nextScheme = COLOUR_SCHEMES[(COLOUR_SCHEMES.indexOf(scheme) + 1) % COLOUR_SCHEMES.length]!;

  return (
    <div class="shell" data-screen={route.screen}>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          content.current?.focus();
        }}
      >
        {words.skip}
      </a>
      <header class={open ? 'side open' : 'side'}>
        <a class="brand" href="#/rains">
          <img src="./favicon.svg" alt="" width="28" height="28" />
          <span>{words.brand}</span>
        </a>
        <button type="button" class="menu" aria-expanded={open} onClick={() => setOpen(!open)}>
          {words.menu}
        </button>
        {mayAct &&
          (placeOf(route) === 'sales' ? (
            <a class="button main new" href="#/create-sale" data-testid="new-sale">
              + {words.createSale}
            </a>
          ) : (
            <a class="button main new" href="#/create" data-testid="new-rain">
              + {words.create}
            </a>
          ))}
        <nav aria-label={words.menu}>
          {PLACES.map(([screen, icon]) => (
            <a
              key={screen}
              href={hashOf({ screen: screen === 'dead' ? listToOpen(letters.counts) : screen })}
              aria-current={placeOf(route) === screen ? 'page' : undefined}
            >
              <Icon name={icon} />
              <span>{words[screen]}</span>
              {screen === 'dead' && deadCount > 0 && <b class="count">{countText(deadCount)}</b>}
            </a>
          ))}
          <RemoteEntry route={route} />
        </nav>
        <div class="who">
          <p>
            <a href={hashOf({ screen: 'account' })} title={words.account}>
              <b data-testid="who">{session.name}</b>
            </a>{' '}
            <span>{words[session.role]}</span>
          </p>
          {session.totp === 'needed' && (
            <p>
              <a href={hashOf({ screen: 'account' })} data-testid="totp-needed">
                {words.totpNeeded}
              </a>
            </p>
          )}
          <div class="acts">
            <Button variant="quiet" testId="language" onClick={() => onLanguage(language === 'en' ? 'zh' : 'en')}>
              <span lang={language === 'en' ? 'zh-CN' : 'en'}>{words.language}</span>
            </Button>
            <Button
              variant="quiet"
              label={words.colourScheme[scheme]}
              testId="colour-scheme"
              onClick={() => {
                applyColourScheme(nextScheme);
                setScheme(nextScheme);
              }}
            >
              <Icon name={scheme} />
            </Button>
            <Button variant="quiet" onClick={onLeave} testId="leave">
              {words.leave}
            </Button>
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} ref={content}>
        <DeadLettersContext.Provider value={letters}>{children}</DeadLettersContext.Provider>
      </main>
    </div>
  );
}

function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}
