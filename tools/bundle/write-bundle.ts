import { mkdirSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { bundleLmdb, importLmdb } from './bundle-lmdb.ts'
import { bundledName, placeUrls } from './place-urls.ts'

/** Packages with non-JavaScript parts, which they look for in their own folder. */
export const EXTERNAL: readonly (string | RegExp)[] = [
  'uWebSockets.js',
  'uWebSockets.js-glibc238',
  '@nxtedition/rocksdb',
  'pg',
  'tiny-secp256k1',
  /^@jitl\//,
  'big-integer',
]

/** The commands, bundled together, so that each loads little besides its own file. */
const COMMANDS = ['host/cli/main.ts', 'host/cli/dump-main.ts']

/**
 * The node, bundled separately: every start loads this one file, and no other command has to. Lists the modules that
 * others import from it, by their output files.
 */
const NODE = {
  'start-line.js': 'host/cli/start-line.ts',
  'run-start.js': 'host/cli/start/run-start.ts',
}

/** Modules that every start of a node on its own chain loads. */
const STARTED =
  /\/host\/(?:cli\/(?:start-line|start\/start|start\/run-start)|node\/run\/(?:node|start-embedded|start-dev|start-consensus)|server\/uws-server)\.ts$/

interface BundleOptions {
  readonly root: string
  /** Where the bundle will be. Its URLs are relative to this folder. */
  readonly place: string
  /** Where it is written. */
  readonly folder: string
  readonly minify: boolean
}

/** Redirects imports of the node's modules to their bundled file. */
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

/** Makes each script name sources in the stacks of its errors. */
function nameSources(root: string, scripts: readonly string[]): Plugin {
  const prelude = 'lockstep:name-sources'
  // Source maps have columns of the prelude, which must not depend on the path of the checkout
  const stacks = 'lockstep:source-stacks'
  return {
    name: 'name-sources',
    resolveId: (source) => {
      if (source === stacks) return { id: join(root, 'host/base/process/source-stacks.ts') }
      return source === prelude ? { id: prelude, moduleSideEffects: true } : null
    },
    load: (id) =>
      id === prelude
        ? `import { nameSourcesInStacks } from '${stacks}'; nameSourcesInStacks()`
        : null,
    transform: {
      // Appended, so that the lines of the code stay where they are
      handler: (code, id) =>
        scripts.includes(id) ? { code: `${code}\nimport '${prelude}'\n`, map: null } : null,
    },
  }
}

/** Bundles entries, by their file names without extension, and returns the bundled modules. */
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
      // A module that is already in the file has nothing left to load
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
    // Hides the folders of linked packages and of the build, which do not help a reader of a stack
    sourcemapPathTransform: (path) =>
      path.replace(/^.*\/node_modules\//, `${up}/node_modules/`).replace(/^.*\/(?=lockstep:)/, ''),
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
 * Writes the commands, the node and every script that they start, each with all it loads. Returns their modules as
 * absolute paths.
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
  // A script may start others, which join the set during the iteration
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
