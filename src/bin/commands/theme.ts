import { Argument } from 'commander';
import { listThemes, removeTheme, removeThemeFile, setTheme, setThemeFile } from '../../operator/themes.ts';
import { THEME_FILE_LIMITS } from '../../rain/theme/files.ts';
import { THEME_COLOUR_NAMES, THEME_FILE_KINDS, type ThemeColours, type ThemeFileKind } from '../../rain/theme.ts';
import type { Answer, RainCommand } from '../command.ts';
import { accepted, acceptedAs } from '../exit.ts';
import { readInputFile } from '../inputFile.ts';
import { table } from '../style.ts';

/** The options for the fields of a theme. */
const TYPED = Object.fromEntries(THEME_COLOUR_NAMES.map((name) => [`colours.${name}`, `--${name}`]));
const THEME = 'letters, digits, _ and -';

type Shown = Awaited<ReturnType<typeof listThemes>>['themes'][number];

export function addThemeCommand(program: RainCommand): void {
  const { terminal } = program;
  const theme = program
    .command('theme')
    .summary('how pages look and sound')
    .description(
      'Themes: colours, pictures and music of the pages that players and a hall see. The default theme is that of all rains without one of their own; rain greeting gives a rain its own.',
    )
    .example(
      'rain theme set spring --title "Spring party" --background "#123456" --default',
      'rain theme file spring logo logo.png',
    );

  theme
    .command('list')
    .summary('all themes')
    .description('Lists the themes by title, with their colours and files.')
    .json()
    .example('rain theme list')
    .runsWithContext(async (context) => {
      const list = await listThemes(context);
      const rows = table(
        ['id', 'title', 'default', 'colours', 'files'],
        list.themes.map(({ id, title, isDefault, colours, files }) => [
          id,
          title,
          isDefault ? 'yes' : '',
          coloursInWords(colours),
          Object.keys(files).join(', '),
        ]),
      );
      return {
        value: list,
        text: list.themes.length === 0 ? 'no theme yet; make one with: rain theme set --help' : rows,
      };
    });

  theme
    .command('set')
    .summary('make or change a theme')
    .description(
      'Makes a theme, or changes title and colours of one; its files stay. A colour that is not given is that of the default look. Text must be readable on the colours: the contrast is checked.',
    )
    .argument('<theme>', THEME)
    .requiredOption('--title <text>', 'title, for operators')
    .option('--background <#rrggbb>', 'colour behind everything')
    .option('--packet <#rrggbb>', 'colour of the packets')
    .option('--accent <#rrggbb>', 'colour of headings and buttons')
    .option('--default', 'rains without a theme of their own have this one')
    .option('--no-default', 'they do not')
    .json()
    .example('rain theme set spring --title "Spring party" --background "#123456" --accent "#ffd36b" --default')
    .runsWithContext(
      async (
        context,
        id: string,
        { title, default: isDefault, ...options }: ThemeColours & { title: string; default?: boolean },
      ) => {
        const colours = Object.fromEntries(
          THEME_COLOUR_NAMES.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
        );
        return changed(acceptedAs(await setTheme(context, { id, title, colours, isDefault }), TYPED).theme);
      },
    );

  theme
    .command('file')
    .summary('put a picture or music into a theme')
    .description(
      `Puts a file into a theme, or takes it out with --remove. Pictures are PNG, JPEG or WebP: ${sizes('logo')}, sponsor and packet alike, ${sizes('background')}. Music is MP3, M4A or OGG, at most ${THEME_FILE_LIMITS.music.bytesMax / 1_024} KiB. Pictures are kept as WebP, without what a camera has written into them; tags of MP3 and M4A are left out. Everybody who opens a page can read them.`,
    )
    .argument('<theme>', 'the id of the theme')
    .addArgument(new Argument('<kind>', 'what it is').choices(THEME_FILE_KINDS))
    .argument('[file]', 'the file; - is stdin')
    .option('--remove', 'take it out')
    .json()
    .example('rain theme file spring logo logo.png', 'rain theme file spring music --remove')
    .refuses((_theme: string, _kind: string, file: string | undefined, { remove }: { remove?: boolean }) =>
      (file === undefined) === (remove === true) ? undefined : 'file: expected either a file or --remove',
    )
    .runsWithContext(async (context, id: string, kind: ThemeFileKind, file: string | undefined) => {
      if (file === undefined) return changed(accepted(await removeThemeFile(context, id, kind)).theme);
      const bytes = await readInputFile(terminal, 'file', file, THEME_FILE_LIMITS[kind].bytesMax);
      return changed(accepted(await setThemeFile(context, id, kind, bytes)).theme);
    });

  theme
    .command('remove')
    .summary('remove a theme')
    .description('Removes a theme with its files. Rains that have it then have the default one.')
    .argument('<theme>', 'the id of the theme')
    .json()
    .example('rain theme remove spring')
    .runsWithContext(async (context, id: string) => {
      const { removed } = accepted(await removeTheme(context, id));
      return { value: { theme: id, removed }, text: `${id}: removed` };
    });
}

function sizes(kind: ThemeFileKind): string {
  const limits = THEME_FILE_LIMITS[kind];
  return `${kind} up to ${limits.bytesMax / 1_024} KiB${limits.is === 'picture' ? ` and ${limits.sidePixelsMax} px a side` : ''}`;
}

function coloursInWords(colours: ThemeColours): string {
  return Object.entries(colours)
    .map(([name, colour]) => `${name} ${colour}`)
    .join(', ');
}

function changed(theme: Shown): Answer {
  const { id, title, isDefault, colours, files } = theme;
  return {
    value: theme,
    text: [
      `${id}: ${title}${isDefault ? ', the default theme' : ''}`,
      coloursInWords(colours),
      ...Object.entries(files).map(([kind, { type, bytes }]) => `${kind}: ${type}, ${bytes} bytes`),
    ]
      .filter((line) => line !== '')
      .join('\n'),
  };
}
