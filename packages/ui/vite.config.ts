/** `tools/build.ts` builds the dashboard with these settings. */
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { sourceLogos } from './tools/logos.ts';

// biome-ignore lint/style/noDefaultExport: Vite reads the default export.
export default defineConfig({
  plugins: [react(), sourceLogos()],
  // The packages of the project are bundled from their sources, so that they need no build of their own.
  resolve: { conditions: ['quarry', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    // A data: address in a style would need another Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
