/**
 * Writes build/explorer/: the page of host/explorer as static files, which name each other relatively and so
 * work from any folder of a server.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

await build({
  configFile: false,
  root: join(ROOT, 'host/explorer'),
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(ROOT, 'build/explorer'),
    emptyOutDir: true,
    // A data: URL of a module or a font would not pass the page's policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
  worker: { format: 'es' },
})
