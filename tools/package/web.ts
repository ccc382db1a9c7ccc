/**
 * Bundles what of the package runs in pages, `lockstep/browser`, what pays and what has wallets sign: modules without a bare import, so that a
 * page needs no bundler of its own, in pieces that are loaded when they are asked for.
 */
import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const { resolve } = createRequire(import.meta.url)

/** Files of other packages that are fetched: by their names beside the modules, from where they lie. */
const FETCHED: Readonly<Record<string, string>> = {
  'quickjs.wasm': '@jitl/quickjs-wasmfile-release-sync/wasm',
  'big-integer.min.js': 'big-integer/BigInteger.min.js',
}

/** URLs of the sources, as they stand in the package. What a bundler of a page looks for stays as it is written. */
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
  ...['engine', 'pairing', 'modules'].map(
    (name) =>
      [
        `new URL('../../../build/${name}.wasm', import.meta.url)`,
        `new URL('../../build/${name}.wasm', import.meta.url)`,
      ] as const,
  ),
  // QuickJS's own loader, which is given the module and fetches none
  [`(new URL("emscripten-module.wasm",import.meta.url)).href`, `""`],
]

/** A URL or an import by its file's name. */
const QUOTED = /\b(?:new URL|import)\(`[^`$]*`/g

/** Puts the URLs in place. @throws Error where a source has one that is not known, or lacks one that is */
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
        // Minified they stand in backticks, which not every bundler of a page reads
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

/** What asks nodes, but for what records a bundle of the answers, which loads when one is made. */
const ASKS_NODES =
  /\/browser\/source\/(node-client|node-reader|node-address|http-exchange|rpc-answer|block-rows|head-watch|pause)\.ts$/

/** Writes the modules that pay, for pages and for Node alike: what both have in common is a third one. */
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

/** Writes the module that has wallets sign, for pages and for Node alike. */
async function writeWallet(root: string, folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: { wallet: 'host/entry/wallet.ts' },
    platform: 'browser',
  })
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', minify: true })
  await bundle.close()
}

/** Writes the modules for pages into a folder, which lies two folders deep in the package. */
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
