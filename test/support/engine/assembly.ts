import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const cache = `${root}build/test/`

/**
 * Compiles the AssemblyScript of one test. `source` is placed at the root of the repository and imports
 * './assembly/...'. Flags are those of asconfig.json. The result is cached in build/test until a file of assembly/ or
 * the source changes.
 */
export async function compileAssembly(
  source: string,
  flags: readonly string[] = [],
): Promise<WebAssembly.Module> {
  return new WebAssembly.Module(readFileSync(await buildAssembly(source, flags)))
}

/**
 * Returns the path of a module built as in asconfig.json: that of `npm run build`, if no file of assembly/ is newer.
 * `flags` are those of its target and of all targets.
 */
export async function builtModule(target: string, flags: readonly string[]): Promise<string> {
  const file = `${root}build/${target}.wasm`
  const built = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (built > newestChange(`${root}assembly`)) return file
  return buildAssembly(`export * from './assembly/${target}'`, [
    '--exportStart',
    '_initialize',
    ...flags,
  ])
}

/** Returns the path of what `compileAssembly` compiles, for a test that starts processes. */
export async function buildAssembly(
  source: string,
  flags: readonly string[] = [],
): Promise<string> {
  const name = createHash('sha256')
    .update(source)
    .update(flags.join(' '))
    .digest('hex')
    .slice(0, 16)
  const file = `${cache}${name}.wasm`
  const built = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (built <= newestChange(`${root}assembly`)) {
    mkdirSync(cache, { recursive: true })
    const bytes = await compile(source, flags)
    // Another worker may build the same file, but rename is atomic.
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, bytes)
    renameSync(draft, file)
  }
  return file
}

async function compile(source: string, flags: readonly string[]): Promise<Uint8Array> {
  // Loaded only for a cache miss: the compiler takes a second of CPU and leaves its globals in the process.
  const { default: asc } = await import('assemblyscript/asc')
  let binary: Uint8Array | undefined
  const { error, stderr } = await asc.main(
    // biome-ignore format: one option a line
    [
      'entry.ts',
      '--outFile', 'entry.wasm',
      '--optimizeLevel', '3',
      '--noAssert',
      '--runtime', 'stub',
      '--use', 'abort=',
      '--enable', 'simd',
      ...flags,
    ],
    {
      readFile: (name, base) => {
        if (name === 'entry.ts') return source
        const path = `${base}/${name}`
        const exists = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
        return exists ? readFileSync(path, 'utf8') : null
      },
      writeFile: (_name, contents) => {
        binary = contents as Uint8Array
      },
      listFiles: () => [],
    },
  )
  if (error !== null || binary === undefined) throw new Error(`asc: ${error} ${stderr.toString()}`)
  return binary
}

function newestChange(folder: string): number {
  let newest = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    newest = Math.max(newest, statSync(`${entry.parentPath}/${entry.name}`).mtimeMs)
  }
  return newest
}
