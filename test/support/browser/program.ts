import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { type Site, serveFolder } from './site.ts'

/** A page that only loads a program, served from its own folder. */
export interface ProgramSite extends Site {
  /** Folder for more files to fetch. */
  readonly folder: string
}

const PAGE = `<!doctype html><html lang="en"><title>program</title><link rel="icon" href="data:,">
<script type="module" src="./page.js"></script>`

/** Builds a program for browsers as users of the library do, and serves it. */
export async function serveProgram(program: URL): Promise<ProgramSite> {
  const folder = mkdtempSync(join(tmpdir(), 'program-'))
  await build({
    configFile: false,
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    base: './',
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: false,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'esnext',
      rolldownOptions: {
        input: fileURLToPath(program),
        output: { entryFileNames: 'page.js' },
      },
    },
    worker: { format: 'es' },
  })
  writeFileSync(join(folder, 'index.html'), PAGE)
  const site = await serveFolder(folder)
  return {
    ...site,
    folder,
    close: async () => {
      await site.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
