import { expect, test } from 'vitest';
import { toShownTheme } from '../../client-demo/src/theme.ts';

test('a theme and a greeting are taken as far as they are what was agreed', () => {
  const theme = {
    id: 'gala',
    colours: { background: '#102030', packet: '#AABBCC', accent: 'red' },
    files: { logo: 'api/theme/files/ab12.png', packet: 'https://elsewhere.example/x.png', music: 7 },
    more: 1,
  };
  expect(toShownTheme({ sender: 'The board', blessing: 'Happy new year', theme, more: 1 })).toEqual({
    sender: 'The board',
    blessing: 'Happy new year',
    theme: {
      id: 'gala',
      colours: { background: '#102030', packet: '#AABBCC' },
      files: { logo: 'api/theme/files/ab12.png' },
    },
  });
});

test('an answer that is no theme is none', () => {
  for (const value of [undefined, null, 'gala', [], {}, { theme: 'gala' }, { theme: { colours: {} } }, { sender: 3 }])
    expect(toShownTheme(value), JSON.stringify(value)).toEqual({});
  expect(toShownTheme({ theme: { id: 'bare' } })).toEqual({ theme: { id: 'bare', colours: {}, files: {} } });
  for (const file of [
    '../api/theme/files/a.png',
    'api/theme/files/../../x',
    'api/theme/files/a.png?x',
    '//host/api/theme/files/a.png',
    'api/theme/files/a"b.png',
  ]) {
    expect(toShownTheme({ theme: { id: 'x', files: { logo: file } } }).theme?.files, file).toEqual({});
  }
});
