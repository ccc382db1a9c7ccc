import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin as RolldownPlugin, rolldown } from 'rolldown'
import type { Plugin } from 'vite'
import { bundleLmdb } from '../../../tools/bundle/bundle-lmdb.ts'
import { EXTERNAL } from '../../../tools/bundle/write-bundle.ts'
import { BUNDLE_FOLDER, bundleOf, isScript, ROOT, withBundledThreads } from './thread-urls.ts'

// Each thread or process that a test starts runs one JavaScript file. Starting from the sources takes 300 ms of CPU,
// mostly to strip types. Starting from a bundle takes 50 to 100 ms.

const STAMP = join(BUNDLE_FOLDER, 'stamp.json')

/** Size and modification time of each source file of the bundles, by path. */
type Stamp = Readonly<Record<string, string>>

function scripts(): string[] {
  return ['host', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => join(ROOT, folder, path))
      .filter(isScript),
  )
}

function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? 'absent' : `${stat.size} ${stat.mtimeMs}`
}

function readStamp(): Stamp {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8')) as Stamp
  } catch {
    // Absent or truncated: bundle everything again.
    return {}
  }
}

/** Another run may write or read the same file, but rename is atomic. */
function replaceFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, path)
}

/** Lets a bundled module find files beside its source. */
const ownUrls: RolldownPlugin = {
  name: 'own-urls',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return
    const own = JSON.stringify(pathToFileURL(id).href)
    return { code: withBundledThreads(code, id).replaceAll('import.meta.url', own) }
  },
}

/** Writes the bundle of a thread's script. Returns its source files. */
async function bundle(script: string): Promise<readonly string[]> {
  const build = await rolldown({
    input: script,
    platform: 'node',
    external: [...EXTERNAL, 'bun:ffi'],
    plugins: [bundleLmdb(), ownUrls],
    // The manifest lists side effects only for the package's compiled files, but these are sources.
    treeshake: false,
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  const [chunk] = output
  replaceFile(bundleOf(script), chunk.code)
  return chunk.moduleIds.filter((id) => id.startsWith(ROOT))
}

/** Runs once a run: bundles the scripts of threads again if any of their files has changed. */
export async function setup(): Promise<void> {
  const stamp = readStamp()
  const found = scripts()
  const isCurrent =
    found.every((script) => script in stamp && versionOf(bundleOf(script)) !== 'absent') &&
    Object.entries(stamp).every(([path, version]) => versionOf(path) === version)
  if (isCurrent) return
  mkdirSync(BUNDLE_FOLDER, { recursive: true })
  // A file that changes meanwhile will differ from this version, so the next run bundles again.
  const started = Date.now()
  const files = new Set((await Promise.all(found.map(bundle))).flat())
  const versions = [...files].map((path) => {
    const isOlder = (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? started) < started
    return [path, isOlder ? versionOf(path) : 'changed while it was bundled'] as const
  })
  replaceFile(STAMP, JSON.stringify(Object.fromEntries(versions)))
}

/** Starts threads and processes from their bundles by changing script URLs in the modules that vitest runs. */
export function threadBundles(): Plugin {
  return {
    name: 'thread-bundles',
    // Before the TypeScript compilation, which changes quotes.
    enforce: 'pre',
    transform(code, id) {
      const changed = code.includes(".ts', import.meta.url)") ? withBundledThreads(code, id) : code
      return changed === code ? undefined : changed
    },
  }
}
