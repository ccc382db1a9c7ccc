import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InlineConfig } from 'vite'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

// Any other value in the shell would build a development page, with paths of this machine.
process.env.NODE_ENV = 'production'

/** Build options of host/explorer/page, shared by all builds. */
export const PAGE_BUILD = {
  configFile: false,
  root: join(ROOT, 'host/explorer/page'),
  base: './',
  publicDir: false,
  envDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
} as const satisfies InlineConfig
