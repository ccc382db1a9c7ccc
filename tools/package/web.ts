/**
 * Bundles the parts of the package that run in pages: `lockstep/browser`, the payment clients and the wallet client.
 * The modules have no bare imports, so a page needs no bundler of its own. They are split into chunks that load on
 * demand.
 */
import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const { resolve } = createRequire(import.meta.url)

/** Fetched files of other packages: their names next to the modules, and their sources. */
const FETCHED: Readonly<Record<string, string>> = {
  'quickjs.wasm': '@jitl/quickjs-wasmfile-release-sync/wasm',
  'big-integer.min.js': 'big-integer/BigInteger.min.js',
}

/** URLs in the sources, and in the package. Forms that a page's bundler looks for stay as written. */
const URLS: readonly (readonly [source: string, web: string])[] = [
  [`new URL('./worker.ts', import.meta.url)`, `new URL('./worker.js', import.meta.url)`],
  [
    `new URL(
          '../../../node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm',
          import.meta.url,
        )`,
    `new URL('./quickjs.wasm', import.meta.url)`,
  ],
  [
    `new URL('../../../node_modules/big-integer/BigInteger.min.js', import.meta.url)`,
    `new URL('./big-integer.min.js', import.meta.url)`,
  ],
  ...['engine', 'pairing', 'modules', 'compile'].map(
    (name) =>
      [
        `new URL('../../../build/${name}.wasm', import.meta.url)`,
        `new URL('../../build/${name}.wasm', import.meta.url)`,
      ] as const,
  ),
  // QuickJS's own loader, which receives the module and fetches none
  [`(new URL("emscripten-module.wasm",import.meta.url)).href`, `""`],
]

/** A URL or an import by its file name. */
const QUOTED = /\b(?:new URL|import)\(`[^`$]*`/g

/** Replaces the URLs. @throws Error if a source has an unknown one, or lacks a known one */
function placeUrls(): Plugin {
  const placed = new Set<string>()
  return {
    name: 'place-urls',
    transform(code) {
      let text = code
      for (const [source, web] of URLS) {
        if (!text.includes(source)) continue
        placed.add(source)
        text = text.replaceAll(source, web)
      }
      return text === code ? null : { code: text, map: null }
    },
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        // The minifier writes them in backticks, which not every bundler of a page reads
        if (file.type === 'chunk')
          file.code = file.code.replace(QUOTED, (text) => text.replaceAll('`', "'"))
      }
    },
    buildEnd() {
      const missing = URLS.filter(([source]) => !placed.has(source))
      if (missing.length > 0) throw new Error(`no module has ${missing.map(([one]) => one)}`)
    },
  }
}

/** The node client, without the recording of bundles, which loads on demand. */
const ASKS_NODES = /\/browser\/source\/(node-reader|block-rows|head-watch)\.ts$/

/** Writes the payment clients, for pages and for Node. Their common part is a third module. */
async function writePayments(root: string, folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: { fetch: 'host/entry/payments-fetch.ts', axios: 'host/entry/payments-axios.ts' },
    platform: 'browser',
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'paying.js',
    minify: true,
  })
  await bundle.close()
}

/** Writes the wallet client, for pages and for Node. */
async function writeWallet(root: string, folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: { wallet: 'host/entry/wallet.ts' },
    platform: 'browser',
  })
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', minify: true })
  await bundle.close()
}

/** Writes the modules for pages into a folder two levels deep in the package. */
export async function writeWeb(root: string, folder: string): Promise<void> {
  await writePayments(root, join(folder, 'payments'))
  await writeWallet(root, join(folder, 'wallet'))
  const bundle = await rolldown({
    cwd: root,
    input: { browser: 'host/entry/browser.ts', worker: 'host/explorer/browser/worker.ts' },
    platform: 'browser',
    plugins: [placeUrls()],
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minify: true,
    codeSplitting: { groups: [{ name: 'nodes', test: ASKS_NODES }] },
  })
  await bundle.close()
  for (const [name, from] of Object.entries(FETCHED))
    copyFileSync(resolve(from), join(folder, name))
}
