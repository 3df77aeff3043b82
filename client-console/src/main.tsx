import { render } from 'preact';
import { App } from './app.tsx';
import { wearTheme } from './state/theme.ts';

wearTheme();
render(<App />, document.getElementById('console')!);
