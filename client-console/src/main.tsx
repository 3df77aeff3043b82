import { render } from 'preact';
import { App } from './app.tsx';
import { applyColourScheme } from './state/colourScheme.ts';

applyColourScheme();
render(<App />, document.getElementById('console')!);
