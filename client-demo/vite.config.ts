import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compressed } from '../scripts/pages/compressed.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  base: './',
  plugins: [compressed()],
  build: {
    outDir: '../dist/client-demo',
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: { input: [at('index.html'), at('hall.html')] },
    // The console's content security policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
