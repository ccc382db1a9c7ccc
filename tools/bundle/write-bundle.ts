import { mkdirSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { bundleLmdb, importLmdb } from './bundle-lmdb.ts'
import { bundledName, placeUrls } from './place-urls.ts'

/** Packages with parts that are no JavaScript, which they look for beside themselves. */
export const EXTERNAL: readonly (string | RegExp)[] = [
  'uWebSockets.js',
  'uWebSockets.js-glibc238',
  '@nxtedition/rocksdb',
  'tiny-secp256k1',
  /^@jitl\//,
  'big-integer',
]

/** The commands, bundled together: each loads little beside its own file. */
const COMMANDS = ['host/cli/main.ts', 'host/cli/dump-main.ts']

/**
 * The node, bundled apart: what every start of one loads is one file, which no other command has to load. The
 * modules that others import of it, by the files they become.
 */
const NODE = {
  'start-line.js': 'host/cli/start-line.ts',
  'run-start.js': 'host/cli/start/run-start.ts',
}

/** What is loaded by every start of a node on its own chain. */
const STARTED =
  /\/host\/(?:cli\/(?:start-line|start\/start|start\/run-start)|node\/run\/(?:node|start-embedded|start-dev|start-consensus)|server\/uws-server)\.ts$/

interface BundleOptions {
  readonly root: string
  /** Where the bundle will lie: its URLs lead from there. */
  readonly place: string
  /** Where it is written. */
  readonly folder: string
  readonly minify: boolean
}

/** Leaves imports of the node's modules to the file that they are bundled in. */
function importNode(root: string): Plugin {
  const files = new Map(Object.entries(NODE).map(([name, path]) => [join(root, path), name]))
  return {
    name: 'import-node',
    async resolveId(source, importer, options) {
      if (importer === undefined || !source.endsWith('.ts')) return null
      const found = await this.resolve(source, importer, { ...options, skipSelf: true })
      const name = found === null ? undefined : files.get(found.id)
      return name === undefined ? null : { id: `./${name}`, external: 'absolute' }
    },
  }
}

/** Makes each script that is run name sources in the stacks of its errors. */
function nameSources(root: string, scripts: readonly string[]): Plugin {
  const prelude = 'lockstep:name-sources'
  const module = join(root, 'host/base/process/source-stacks.ts')
  return {
    name: 'name-sources',
    resolveId: (source) => (source === prelude ? { id: prelude, moduleSideEffects: true } : null),
    load: (id) =>
      id === prelude
        ? `import { nameSourcesInStacks } from ${JSON.stringify(module)}; nameSourcesInStacks()`
        : null,
    transform: {
      // Behind the code: its lines stay where they are
      handler: (code, id) =>
        scripts.includes(id) ? { code: `${code}\nimport '${prelude}'\n`, map: null } : null,
    },
  }
}

/** Bundles entries, by the names of their files without the ending; returns the modules that went in. */
async function writeEntries(
  { root, place, folder, minify }: BundleOptions,
  input: Readonly<Record<string, string>>,
  plugins: readonly Plugin[],
  output: OutputOptions,
  onScript: (script: string) => void,
): Promise<readonly string[]> {
  const up = relative(place, root).split(sep).join('/')
  const bundle = await rolldown({
    cwd: root,
    input: { ...input },
    platform: 'node',
    external: [...EXTERNAL],
    plugins: [placeUrls(root, place, onScript), importLmdb(), ...plugins],
    onLog(level, log) {
      // A module that is in the file already has nothing left to load
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') {
        throw new Error(log.message)
      }
    },
  })
  const written = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Where packages are linked from is no matter of who reads a stack
    sourcemapPathTransform: (path) => path.replace(/^.*\/node_modules\//, `${up}/node_modules/`),
    minify,
    ...output,
  })
  await bundle.close()
  return written.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}

function entriesOf(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [bundledName(path).replace(/\.js$/, ''), path]))
}

/**
 * Writes the commands, the node and every script that they start, each with all it loads; returns the modules that
 * they are made of, as absolute paths.
 */
export async function writeBundle(options: BundleOptions): Promise<readonly string[]> {
  const { root, folder } = options
  mkdirSync(folder, { recursive: true })
  const scripts = new Set<string>()
  const onScript = (script: string) => scripts.add(script)
  const commands = await writeEntries(
    options,
    entriesOf(COMMANDS),
    [
      importNode(root),
      nameSources(
        root,
        COMMANDS.map((path) => join(root, path)),
      ),
    ],
    {},
    onScript,
  )
  const node = await writeEntries(
    options,
    entriesOf(Object.values(NODE)),
    [],
    { codeSplitting: { groups: [{ name: 'node', test: STARTED }] } },
    onScript,
  )
  const lmdb = await writeEntries(options, { lmdb: 'lmdb' }, [bundleLmdb()], {}, onScript)
  const modules = new Set([...commands, ...node, ...lmdb])
  // A script may start others: they join the set while it is walked
  for (const script of scripts) {
    const own = await writeEntries(
      options,
      entriesOf([resolve(script)]),
      [nameSources(root, [script])],
      { codeSplitting: false },
      onScript,
    )
    for (const module of own) modules.add(module)
  }
  return [...modules].sort()
}
