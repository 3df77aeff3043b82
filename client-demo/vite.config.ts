import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compressed } from '../scripts/pages/compressed.ts';
import { OLDEST_BROWSERS, olderStyles } from '../scripts/pages/olderBrowsers.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  base: './',
  plugins: [compressed()],
  css: { postcss: { plugins: olderStyles } },
  build: {
    outDir: '../dist/client-demo',
    emptyOutDir: true,
    target: OLDEST_BROWSERS,
    rolldownOptions: { input: [at('index.html'), at('hall.html')] },
    // The console's content security policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
