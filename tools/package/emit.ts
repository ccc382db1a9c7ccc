/**
 * Writes dist/, the modules of the package. dist/cli/ has its commands with everything they start, bundled. Each
 * export of host/ has its JavaScript file and types. dist/web/ has those of `lockstep/browser`, bundled. `npm pack`
 * runs it.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeBundle } from '../bundle/write-bundle.ts'
import { licensesOf } from './licenses.ts'
import { type Manifest, manifestEntries, readManifest } from './manifest.ts'
import { type Reached, reach } from './module-graph.ts'
import { writeWeb } from './web.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc')

function compile(folder: string): void {
  const args = [COMPILER, '-p', join(ROOT, 'tools/package/tsconfig.json'), '--outDir', folder]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tsc failed:\n${stdout}`)
}

/**
 * The compiler writes .js for .ts in module imports. It leaves the URLs of started threads, and the imports of types,
 * unchanged.
 */
function nameJavaScript(source: string): string {
  return source
    .replace(/(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g, '$1.js$2')
    .replace(/(\b(?:from\s*|import\s*\(?\s*)(['"])\.[^'"\n]*)\.ts\2/g, '$1.js$2')
}

function emitted(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js') || path.endsWith('.d.ts'))
    .sort()
}

/** @throws Error naming the packages that the package does not depend on */
function checkPackages({ packages }: Reached, manifest: Manifest): void {
  const { dependencies, optionalDependencies, peerDependencies } = manifest
  const known = { ...dependencies, ...optionalDependencies, ...peerDependencies }
  const missing = packages.filter((name) => !Object.hasOwn(known, name))
  if (missing.length > 0) {
    throw new Error(`dist/ imports packages that are not dependencies: ${missing.join(', ')}`)
  }
}

async function writePackage(folder: string): Promise<void> {
  const manifest = readManifest(ROOT)
  rmSync(folder, { recursive: true, force: true })
  compile(folder)
  for (const path of emitted(folder)) {
    const file = join(folder, path)
    writeFileSync(file, nameJavaScript(readFileSync(file, 'utf8')))
  }
  await writeWeb(ROOT, join(folder, 'web'))
  const cli = join(folder, 'cli')
  rmSync(cli, { recursive: true })
  const bundled = await writeBundle({ root: ROOT, folder: cli, place: cli, minify: true })
  writeFileSync(join(cli, 'licenses.md'), licensesOf(bundled))
  const { modules, types } = manifestEntries(manifest)
  const code = reach(folder, modules)
  const declarations = reach(folder, types)
  checkPackages(code, manifest)
  checkPackages(declarations, manifest)
  const kept = new Set([...code.files, ...declarations.files])
  for (const path of emitted(folder)) if (!kept.has(path)) rmSync(join(folder, path))
}

await writePackage(join(ROOT, 'dist'))
