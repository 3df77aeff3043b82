import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp, useRequest } from './state/useApi.ts';
import type { Letter } from './state/responses.ts';
import { hashOf, type Route } from './state/route.ts';
import { rememberedTheme, THEMES, wearTheme, type Theme } from './state/theme.ts';
import { Button } from './components/button.tsx';
import { Icon, type IconName } from './components/icon.tsx';
import { bilingual, useWords, type Language } from './words/language.ts';

const DEAD_REFRESH_MS = 15_000;

const WORDS = bilingual({
  brand: 'Red-packet rain', skip: 'Skip to the content', menu: 'Menu', rains: 'Rains', create: 'New rain', campaigns: 'Campaigns', dead: 'Dead letters', blocks: 'Blocked',
  switches: 'Switches', actions: 'Audit log', system: 'System', queues: 'Queues', leave: 'Sign out', language: '中文', viewer: 'viewer', operator: 'operator',
  theme: { auto: 'Colours: as the system', light: 'Colours: light', dark: 'Colours: dark' },
}, {
  brand: '红包雨', skip: '跳到内容', menu: '菜单', rains: '红包雨', create: '新建', campaigns: '系列活动', dead: '死信', blocks: '封禁名单',
  switches: '开关', actions: '操作日志', system: '系统', queues: '队列', leave: '退出登录', language: 'English', viewer: '只读', operator: '操作员',
  theme: { auto: '外观：跟随系统', light: '外观：浅色', dark: '外观：深色' },
});

const PLACES: readonly { route: Route; icon: IconName; word: 'rains' | 'campaigns' | 'dead' | 'blocks' | 'switches' | 'actions' | 'system' }[] = [
  { route: { screen: 'rains' }, icon: 'rain', word: 'rains' }, { route: { screen: 'campaigns' }, icon: 'rounds', word: 'campaigns' },
  { route: { screen: 'dead' }, icon: 'letter', word: 'dead' }, { route: { screen: 'blocks' }, icon: 'block', word: 'blocks' },
  { route: { screen: 'switches' }, icon: 'switch', word: 'switches' }, { route: { screen: 'actions' }, icon: 'book', word: 'actions' },
  { route: { screen: 'system' }, icon: 'pulse', word: 'system' },
];

/** The menu entry of a screen. */
function placeOf({ screen }: Route): Route['screen'] {
  if (screen === 'rain' || screen === 'live' || screen === 'winners' || screen === 'create') return 'rains';
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
  const [theme, setTheme] = useState<Theme>(rememberedTheme);
  const [open, setOpen] = useState(false);
  const content = useRef<HTMLElement>(null);
  const hash = hashOf(route);
  const dead = useRequest<{ letters: Letter[]; next?: string }>('dead', DEAD_REFRESH_MS).value;
  // A new screen starts at its top and sets the title for screen readers.
  useEffect(() => {
    setOpen(false);
    scrollTo(0, 0);
    document.title = `${words.brand} · ${content.current?.querySelector('h1')?.textContent ?? 'Console'}`;
  }, [hash, words]);
  const nextTheme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;

  return (
    <div class="shell" data-screen={route.screen}>
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); content.current?.focus(); }}>{words.skip}</a>
      <header class={open ? 'side open' : 'side'}>
        <a class="brand" href="#/rains"><img src="./favicon.svg" alt="" width="28" height="28" /><span>{words.brand}</span></a>
        <button type="button" class="menu" aria-expanded={open} onClick={() => setOpen(!open)}>{words.menu}</button>
        {mayAct && <a class="button main new" href="#/create" data-testid="new-rain">+ {words.create}</a>}
        <nav aria-label={words.menu}>
          {PLACES.map(({ route: place, icon, word }) => (
            <a key={word} href={hashOf(place)} aria-current={placeOf(route) === place.screen ? 'page' : undefined}>
              <Icon name={icon} /><span>{words[word]}</span>
              {word === 'dead' && dead && dead.letters.length > 0 && <b class="count">{dead.letters.length}{dead.next ? '+' : ''}</b>}
            </a>
          ))}
          <a href="./queues/" target="_blank" rel="noopener"><Icon name="queue" /><span>{words.queues} ↗</span></a>
        </nav>
        <div class="who">
          <p><b data-testid="who">{session.name}</b> <span>{words[session.role]}</span></p>
          <div class="acts">
            <Button variant="quiet" testId="language" onClick={() => onLanguage(language === 'en' ? 'zh' : 'en')}><span lang={language === 'en' ? 'zh-CN' : 'en'}>{words.language}</span></Button>
            <Button variant="quiet" label={words.theme[theme]} testId="theme" onClick={() => { wearTheme(nextTheme); setTheme(nextTheme); }}><Icon name={theme} /></Button>
            <Button variant="quiet" onClick={onLeave} testId="leave">{words.leave}</Button>
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} ref={content}>{children}</main>
    </div>
  );
}
