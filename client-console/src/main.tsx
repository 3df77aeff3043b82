import { render } from 'preact';
import { App } from './app.tsx';
import { wearTheme } from './desk/theme.ts';

wearTheme();
render(<App />, document.getElementById('desk')!);
