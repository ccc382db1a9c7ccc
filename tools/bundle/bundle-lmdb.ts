import { basename, join } from 'node:path'
import type { Plugin } from 'rolldown'

const LOADS = "import loadNAPI from 'node-gyp-build-optional-packages';"
const PLACE = "dirname(fileURLToPath(import.meta.url)).replace(/dist$/, '')"

/** Finds what belongs to lmdb from where lmdb lies: a package need not see what its dependencies depend on. */
const FROM_LMDB = `import { createRequire } from 'node:module';
const lmdb = createRequire(import.meta.url).resolve('lmdb');
const loadNAPI = createRequire(lmdb)('node-gyp-build-optional-packages');`

/** What reads keys of text, which a bundler cannot take along: it is a text that is evaluated where it stands. */
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
 * Makes one file of the modules of lmdb; its native part stays where it is. Node loads the twenty of them in 40 ms, in
 * each thread. msgpackr, which nothing here is encoded by, goes without a native part of its own.
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
