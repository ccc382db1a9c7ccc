import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { lookup } from '../../host/base/lookup.ts'
import { readManifest } from './manifest.ts'
import { reach } from './module-graph.ts'

/** A part of the package, and its size limit. */
export interface SizeRow {
  readonly part: string
  /** Bytes. */
  readonly size: number
  /** Bytes, about a tenth above the size when the budget was set. Raising one is a deliberate decision. */
  readonly budget: number
}

const KB = 1000
/** Width of the longest part's name, plus one. */
const PART_WIDTH = 26

/** Budgets in bytes. JavaScript and WebAssembly count after gzip, as a browser fetches them. */
const BUDGETS = {
  /** Two fifths of both are the source maps of the commands, which name sources in error stacks. */
  tarball: 6_400 * KB,
  installed: 19_800 * KB,
  'engine.wasm': 106 * KB,
  'pairing.wasm': 45 * KB,
  'modules.wasm': 60 * KB,
  'commit.wasm': 8 * KB,
  'recovery.wasm': 30 * KB,
  'compile.wasm': 10 * KB,
  /** Everything that the page may load: a third is QuickJS, for script tracers. */
  explorer: 850 * KB,
  /** Each script of a thread includes all it loads, with the packages it needs, so that it starts from one file. */
  lockstep: 1_900 * KB,
  'lockstep-db': 74 * KB,
  'lockstep/engine': 54 * KB,
  'lockstep/replay': 124 * KB,
  /** Everything that a page may load of it, except script tracers and the node client. */
  'lockstep/browser': 71 * KB,
  /** A quarter of it is Keccak-256. */
  'lockstep/payments/fetch': 19 * KB,
  'lockstep/payments/axios': 19 * KB,
  'lockstep/payments/folder': 1.2 * KB,
  'lockstep/payments/express': 131 * KB,
  'lockstep/payments/hono': 132 * KB,
  'lockstep/payments/next': 129 * KB,
  /** With HPKE, for the export and import of keys. */
  'lockstep/wallet': 25 * KB,
  'lockstep/toolkit': 78 * KB,
  /** The engine of script tracers, including its WebAssembly: loaded with the first of them. */
  'script tracers': 300 * KB,
  /** A node's blocks and transactions for pages. Bundles made from them are loaded on demand. */
  'asking nodes': 28 * KB,
} as const

function gzipped(contents: readonly Buffer[]): number {
  return gzipSync(Buffer.concat(contents), { level: 9 }).length
}

/**
 * Modules of `lockstep/browser` loaded only for script tracers, for the node client, and for the tracers of `ots_`
 * and `trace_`.
 */
const SCRIPTS = ['script-tracer.js', 'quickjs.js', 'big-integer.min.js', 'quickjs.wasm']
const NODES = ['nodes.js', 'node-recorder.js', 'node-state.js', 'remote-state.js']
const METHODS = ['otterscan-tracers.js', 'parity-list-tracer.js']
const LAZY: readonly string[] = [...SCRIPTS, ...NODES, ...METHODS].map((name) => `dist/web/${name}`)

/** Returns the size of the package's own modules that one leads to, without dependencies. */
function modulesSize(folder: string, entry: string): number {
  const { files } = reach(folder, [entry.replace(/^\.\//, '')])
  const counted = files.filter((file) => !LAZY.includes(file))
  return gzipped(counted.map((file) => readFileSync(join(folder, file))))
}

function sizeInWeb(folder: string, names: readonly string[]): number {
  const files = names.map((name) => readFileSync(join(folder, 'dist/web', name)))
  return files.reduce((sum, file) => sum + gzipped([file]), 0)
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function installedSize(folder: string): number {
  return filesBelow(folder).reduce((sum, file) => sum + statSync(file).size, 0)
}

/** Returns the size of the explorer's page with everything it may load. */
function explorerSize(folder: string): number {
  const files = filesBelow(join(folder, 'build/explorer'))
  return files.reduce((sum, file) => sum + gzipped([readFileSync(file)]), 0)
}

/** Measures the package. `folder` is where its tarball was unpacked. */
export function packageSizes(tarball: string, folder: string): readonly SizeRow[] {
  const { name, bin, exports } = readManifest(folder)
  const sizes: [part: string, size: number][] = [
    ['tarball', statSync(tarball).size],
    ['installed', installedSize(folder)],
  ]
  for (const module of [
    'engine.wasm',
    'pairing.wasm',
    'modules.wasm',
    'commit.wasm',
    'recovery.wasm',
    'compile.wasm',
  ]) {
    sizes.push([module, gzipped([readFileSync(join(folder, 'build', module))])])
  }
  sizes.push(
    ['explorer', explorerSize(folder)],
    ['script tracers', sizeInWeb(folder, SCRIPTS)],
    ['asking nodes', sizeInWeb(folder, NODES)],
  )
  for (const [command, path] of Object.entries(bin)) {
    sizes.push([command, modulesSize(folder, path)])
  }
  for (const [path, entry] of Object.entries(exports)) {
    if (typeof entry === 'string') continue
    sizes.push([path.replace(/^\./, name), modulesSize(folder, entry.default)])
  }
  // A part without a budget counts as over it
  const budgets: Readonly<Record<string, number>> = BUDGETS
  return sizes.map(([part, size]) => ({ part, size, budget: lookup(budgets, part) ?? 0 }))
}

/** Formats the rows as a table. */
export function sizeTable(rows: readonly SizeRow[]): string {
  const kilobytes = (bytes: number) => `${(bytes / KB).toFixed(1)} kB`.padStart(11)
  const head = `${'part'.padEnd(PART_WIDTH)}${'size'.padStart(11)}${'budget'.padStart(11)}`
  const lines = rows.map(
    ({ part, size, budget }) => `${part.padEnd(PART_WIDTH)}${kilobytes(size)}${kilobytes(budget)}`,
  )
  return [head, ...lines].join('\n')
}
