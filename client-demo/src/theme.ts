import { THEME_COLOUR_NAMES, THEME_FILE_KINDS, type PrizeBlessing, type ShownTheme } from '../../src/rain/theme.ts';
import { isObject, request, untilAnswered } from './api.ts';
import { loadPicture } from './load-picture.ts';

const COLOUR = /^#[\da-f]{6}$/i;
/** Relative to the page. Nothing else is fetched, whatever the answer says. */
const FILE = /^api\/theme\/files\/[\w.-]+$/;
const TRIES = 3;

export type { ShownTheme };
export type Theme = NonNullable<ShownTheme['theme']>;

/**
 * Never throws.
 * @param rainId absent: the default theme.
 * @param token that shows a rain by invitation.
 * @returns `{}` if there is none; `undefined` if the console cannot tell now
 */
export async function readTheme(
  rainId: string | undefined,
  token?: string,
  random = Math.random,
): Promise<ShownTheme | undefined> {
  const ask = async () => {
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const { status, body } = await request(
      `api/theme${rainId === undefined ? '' : `?rain=${encodeURIComponent(rainId)}`}`,
      { headers },
    );
    if (status === 429 || status >= 500) throw new Error(`no theme: ${status}`);
    return status === 200 ? toShownTheme(body) : {};
  };
  return untilAnswered(ask, random, TRIES).catch(() => undefined);
}

/** Takes what it knows, and leaves the rest. */
export function toShownTheme(value: unknown): ShownTheme {
  if (!isObject(value)) return {};
  const { sender, blessing, prizes, theme } = value;
  return {
    ...(typeof sender === 'string' && { sender }),
    ...(typeof blessing === 'string' && { blessing }),
    ...(Array.isArray(prizes) && { prizes: prizes.flatMap(toPrize) }),
    ...(isObject(theme) &&
      typeof theme['id'] === 'string' && {
        theme: {
          id: theme['id'],
          colours: textsIn(theme['colours'], THEME_COLOUR_NAMES, COLOUR),
          files: textsIn(theme['files'], THEME_FILE_KINDS, FILE),
        },
      }),
  };
}

function toPrize(value: unknown): PrizeBlessing[] {
  const { from, blessing } = isObject(value) ? value : {};
  return typeof from === 'string' && typeof blessing === 'string' ? [{ from, blessing }] : [];
}

function textsIn<Name extends string>(
  value: unknown,
  names: readonly Name[],
  form: RegExp,
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = isObject(value) ? value[name] : undefined;
    if (typeof text === 'string' && form.test(text)) found[name] = text;
  }
  return found;
}

let applied: Theme | undefined;

/**
 * Colours the page at once, and shows the picture behind it when it has been loaded. Without a theme the page has its
 * own look again.
 */
export function applyTheme({ theme }: ShownTheme): void {
  applied = theme;
  for (const name of THEME_COLOUR_NAMES) setVariable(`--theme-${name}`, theme?.colours[name]);
  const background = theme?.files.background;
  if (background === undefined) return setVariable('--theme-background-image', undefined);
  void loadPicture(background).then((picture) => {
    if (applied === theme) setVariable('--theme-background-image', picture && `url("${picture.src}")`);
  });
}

/** Through the CSSOM: the content security policy forbids style attributes. */
function setVariable(name: string, value: string | undefined): void {
  const { style } = document.documentElement;
  if (value === undefined) style.removeProperty(name);
  else style.setProperty(name, value);
}
