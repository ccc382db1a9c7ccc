import { basename, join } from 'node:path'
import type { Plugin } from 'rolldown'

const LOADS = "import loadNAPI from 'node-gyp-build-optional-packages';"
const PLACE = "dirname(fileURLToPath(import.meta.url)).replace(/dist$/, '')"

/** Looks for lmdb's own dependencies from lmdb's folder: pnpm shows them to nobody else. */
const FROM_LMDB = `import { createRequire } from 'node:module';
const lmdb = createRequire(import.meta.url).resolve('lmdb');
const loadNAPI = createRequire(lmdb)('node-gyp-build-optional-packages');`

/** The reader of text keys is code that `eval` makes, which a bundler cannot move. */
const EVALUATED = 'eval(makeStringBuilder())'
const REFUSED = "(() => { throw new Error('the keys of Lockstep are bytes, never text') })"

function replaced(code: string, part: string, by: string, file: string): string {
  if (code.includes(part)) return code.replace(part, () => by)
  throw new Error(`${file} of lmdb is no longer as its bundling expects: it lacks ${part}`)
}

/** The file of the bundle that lmdb becomes. */
const LMDB_FILE = './lmdb.js'

/** Has importers of lmdb import the file of the bundle. */
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
 * Makes one file of lmdb's twenty modules. One by one they take each thread 45 ms of processor to load, in one file 20.
 * The native part stays in the package. msgpackr loses its own native part: nothing here is encoded by it.
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
