import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type InlineConfig } from 'vite'
import { writeWeb } from '../../tools/package/web.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Writes the files of the package that a page needs: `lockstep/browser`, its WebAssembly and package.json. */
export async function writeWebPackage(folder: string): Promise<void> {
  await writeWeb(ROOT, join(folder, 'dist/web'))
  mkdirSync(join(folder, 'build'))
  for (const name of ['engine', 'pairing', 'modules']) {
    cpSync(join(ROOT, `build/${name}.wasm`), join(folder, `build/${name}.wasm`))
  }
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
}

/** Bundles the index.html of a folder with an unconfigured bundler. */
export async function buildPage(root: string, options: InlineConfig['build'] = {}): Promise<void> {
  await build({ configFile: false, root, base: './', logLevel: 'warn', build: options })
}
