import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InlineConfig } from 'vite'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

// Another value in the shell of whoever builds would give a page for its developers, with paths of this machine.
process.env.NODE_ENV = 'production'

/** How the page of host/explorer/page is built, whatever becomes of it. */
export const PAGE_BUILD = {
  configFile: false,
  root: join(ROOT, 'host/explorer/page'),
  base: './',
  publicDir: false,
  envDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
} as const satisfies InlineConfig
