import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compressed } from '../scripts/pages/compressed.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [compressed()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/client-console',
    emptyOutDir: true,
    target: 'es2022',
    // Both colour schemes use light-dark(). It is not rewritten for older browsers.
    cssTarget: 'chrome123',
    // The console's content security policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
