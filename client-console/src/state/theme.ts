export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT = 'rain.console.theme';

export function rememberedTheme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return THEMES.find((theme) => theme === kept) ?? 'auto';
}

/** `auto` follows the system. */
export function wearTheme(theme: Theme = rememberedTheme()): void {
  localStorage.setItem(KEPT, theme);
  document.documentElement.dataset['theme'] = theme;
}
