import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const FRAMEWORK = /node_modules\/(react|react-dom|scheduler|react-router|@tanstack\/query-core)\//;

export default defineConfig({
  root: here('.'),
  plugins: [react(), tailwindcss()],
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // What changes with the libraries stays in the browser's cache when only the screens change.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'framework', test: FRAMEWORK }] } } },
  },
  // `vite --config web/vite.config.ts` beside a running server: the pages reload, the data is real.
  server: {
    proxy: { '/api': 'http://127.0.0.1:7400', '/socket.io': { target: 'http://127.0.0.1:7400', ws: true } },
  },
});
