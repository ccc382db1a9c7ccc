import { basename, join } from 'node:path'
import type { Plugin } from 'rolldown'

const LOADS = "import loadNAPI from 'node-gyp-build-optional-packages';"
const PLACE = "dirname(fileURLToPath(import.meta.url)).replace(/dist$/, '')"

/** Resolves lmdb's own dependencies from lmdb's folder: pnpm hides them elsewhere. */
const FROM_LMDB = `import { createRequire } from 'node:module';
const lmdb = createRequire(import.meta.url).resolve('lmdb');
const loadNAPI = createRequire(lmdb)('node-gyp-build-optional-packages');`

/** lmdb compiles the reader of text keys with `eval`, which a bundler cannot move. */
const EVALUATED = 'eval(makeStringBuilder())'
const REFUSED = "(() => { throw new Error('the keys of Lockstep are bytes, never text') })"

function replaced(code: string, part: string, by: string, file: string): string {
  if (code.includes(part)) return code.replace(part, () => by)
  throw new Error(`${file} of lmdb has changed and cannot be bundled: it lacks ${part}`)
}

/** The bundle's file for lmdb. */
const LMDB_FILE = './lmdb.js'

/** Makes importers of lmdb import the file of the bundle. */
export function importLmdb(): Plugin {
  return {
    name: 'import-lmdb',
    resolveId: {
      filter: { id: /^lmdb$/ },
      handler: (_source, importer) =>
        importer === undefined ? null : { id: LMDB_FILE, external: 'absolute' },
    },
  }
}

/**
 * Bundles lmdb's twenty modules into one file. Separately they take 45 ms of CPU to load per thread, in one file 20.
 * The native part stays in the package. msgpackr loses its own native part, because nothing here is encoded with it.
 */
export function bundleLmdb(): Plugin {
  return {
    name: 'bundle-lmdb',
    resolveId: {
      filter: { id: /^msgpackr$/ },
      async handler(source, importer, options) {
        const found = await this.resolve(source, importer, { ...options, skipSelf: true })
        return found && { ...found, id: join(found.id, '../index.js') }
      },
    },
    transform: {
      filter: { id: /[\\/](?:lmdb[\\/]native|ordered-binary[\\/]index)\.js$/ },
      handler(code, id) {
        const file = basename(id)
        if (file === 'index.js') {
          return { code: replaced(code, EVALUATED, REFUSED, id), map: null }
        }
        const found = replaced(code, LOADS, FROM_LMDB, id)
        return { code: replaced(found, PLACE, "dirname(lmdb).replace(/dist$/, '')", id), map: null }
      },
    },
  }
}
