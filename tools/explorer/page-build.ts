import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InlineConfig } from 'vite'

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url))

/** How the page of host/explorer is built, whatever becomes of it. */
export const PAGE_BUILD = {
  configFile: false,
  root: join(ROOT, 'host/explorer'),
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
} as const satisfies InlineConfig
