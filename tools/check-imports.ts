// Checks the direction of imports in host/ and in assembly/, of this tree or the named one. A file of host/ may
// import from its own folder and from those above it in `ORDER`. Folders without an order must not form a cycle.

import { readdirSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lookup } from '../host/base/lookup.ts'
import { findBrokenImports } from './assembly-imports.ts'
import { findCircles, specifiersIn } from './import-graph.ts'

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const HOST = join(ROOT, 'host')

/**
 * The subfolders of a folder, lowest first. '.' is the folder itself. Folders in one row must not import each other.
 * In a folder without an entry here, imports between subfolders may have any order, but no cycle.
 */
const ORDER: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '': [
    ['base'],
    ['evm'],
    ['client', 'storage'],
    ['chain', 'explorer'],
    ['api'],
    ['wallet'],
    ['payments'],
    ['toolkit', 'node'],
    ['entry'],
    ['cli'],
  ],
  ...rows({
    base: ['.', 'process', 'worker', 'config', 'log', 'metrics'],
    evm: ['chain-types', 'engine', 'state', 'modules', 'execute', 'trace'],
    'evm/execute': ['.', 'lockstep', 'ethereum', 'simulate', 'replay'],
    'evm/trace': ['.', 'tracers', 'script', 'bundle', 'job', 'recording'],
    client: ['remote-node', 'chain-client', 'transaction-sender'],
    storage: ['table', 'store', 'commit'],
    'storage/store': [
      'codec',
      'lmdb',
      'sqlite',
      'postgres',
      'wal',
      'chain',
      'address',
      'state',
      'reader',
      'thread',
      'segment',
      'rocksdb',
      '.',
    ],
    'storage/commit': ['hash', 'undo', 'flatkv', 'iavl', 'proof', 'trie', '.'],
    chain: ['consensus', 'snapshot', 'dev'],
    'chain/consensus': [
      '.',
      'comet',
      'light',
      'events',
      'validator',
      'privval',
      'cometbft',
      'mempool',
      'ahead',
      'embedded',
      'follow',
      'state-machine',
      'abci',
      'gossip',
      'import',
    ],
    'chain/snapshot': ['.', 'sync', 'abci'],
    explorer: ['browser', 'page'],
    api: ['trace-pool', 'transaction-index', 'server', 'rpc'],
    'api/rpc': [
      'argument',
      'format',
      'subscription',
      'call',
      'answer',
      'resolve',
      'eth',
      'debug',
      'trace',
      'ots',
      'dev',
      '.',
      'protocol',
      'consensus',
    ],
    wallet: [
      'keys',
      'protocol',
      'policy',
      'vault',
      'launch',
      'signer',
      'webhook',
      'pipeline',
      'page',
      'service',
      'client',
      '.',
    ],
    payments: [
      'protocol',
      'chain',
      'claim',
      'challenge',
      'store',
      'settle',
      'verify',
      'gate',
      'adapter',
      'client',
      '.',
    ],
    node: ['.', 'home', 'network', 'open', 'serve', 'offline', 'run', 'diagnosis'],
    cli: [
      'option',
      'client',
      'progress',
      'status',
      'keys',
      'tx',
      'query',
      'snapshot',
      'dump',
      'migrate',
      'bundle',
      'config',
      'genesis',
      'network',
      'payments',
      'wallet',
      'mcp',
      'start',
      '.',
    ],
  }),
}

/** Returns rows of one folder each. */
function rows(
  folders: Readonly<Record<string, readonly string[]>>,
): Record<string, readonly (readonly string[])[]> {
  return Object.fromEntries(
    Object.entries(folders).map(([folder, names]) => [folder, names.map((name) => [name])]),
  )
}

interface Import {
  /** Path of the file, relative to host/. */
  readonly file: string
  readonly specifier: string
  /** Target of a relative import, relative to host/; empty for a package and for anything outside host/. */
  readonly target: string
}

interface Rule {
  /** Folders and files to which the rule applies; all if absent. */
  readonly of?: readonly string[]
  readonly allows: (found: Import) => boolean
  readonly reason: string
}

const isIn = (path: string, places: readonly string[]): boolean =>
  places.some((place) => path === place || path.startsWith(`${place}/`))

/** Folders that also run in a browser, besides the files of base/ itself. */
const EMBEDDED = ['evm', 'client/remote-node', 'explorer']
const isEmbedded = (path: string): boolean => isIn(path, EMBEDDED) || /^base\/[^/]+$/.test(path)
/** Other files that public modules may use: those that read files of the package. */
const PACKAGED = ['node/wasm.ts', 'api/trace-pool/script-engine.ts']
/** The parts of payments and wallets that pages also use. */
const PAGE_PARTS = ['payments/protocol', 'payments/client', 'wallet/protocol', 'wallet/client']

const RULES: readonly Rule[] = [
  {
    allows: ({ file, target }) => target === '' || isDownwards(file, target),
    reason: 'imports run one way: a file may import only from folders above its own',
  },
  {
    allows: ({ file, specifier, target }) =>
      !isEmbedded(file) ||
      (!specifier.startsWith('node:') && (target === '' || isEmbedded(target))),
    reason: 'it also runs in browsers',
  },
  {
    of: ['entry'],
    allows: ({ target }) =>
      target === '' ||
      isIn(target, ['entry', 'payments', 'wallet', 'toolkit', ...PACKAGED]) ||
      isEmbedded(target),
    reason: 'public modules must not load parts of a node',
  },
  {
    allows: ({ file, specifier }) => isIn(file, ['api/server']) || !/^uWebSockets/.test(specifier),
    reason: 'only host/api/server imports uWebSockets.js',
  },
  {
    of: ['storage/commit'],
    allows: ({ target }) =>
      !isIn(target, ['storage/store']) || isIn(target, ['storage/store/lmdb']),
    reason: 'the app hash does not depend on the state store',
  },
  {
    of: ['payments', 'wallet', 'toolkit'],
    allows: ({ target }) =>
      !isIn(target, ['storage/store']) ||
      /^storage\/store\/(lmdb|codec|sqlite|postgres)\//.test(target),
    reason: 'services reach the chain over RPC',
  },
  {
    of: PAGE_PARTS,
    allows: ({ file, specifier, target }) =>
      !specifier.startsWith('node:') &&
      (target === '' ||
        isEmbedded(target) ||
        isIn(
          target,
          PAGE_PARTS.filter((part) => part.split('/')[0] === file.split('/')[0]),
        )),
    reason: 'clients of payments and wallets also run in browsers',
  },
]

/** Returns the subfolder of `parent` that contains a path, or '.' for its own files. */
function childOf(parent: string, path: string): string {
  const [name = '', ...rest] = (parent === '' ? path : path.slice(parent.length + 1)).split('/')
  return rest.length === 0 ? '.' : name
}

/** Returns the deepest folder that contains both paths; '' for host/. */
function commonFolder(a: string, b: string): string {
  const [one, other] = [dirname(a).split('/'), dirname(b).split('/')]
  const length = one.findIndex((name, at) => name !== other[at])
  return one.slice(0, length < 0 ? one.length : length).join('/')
}

function isDownwards(file: string, target: string): boolean {
  const parent = commonFolder(file, target)
  const order = lookup(ORDER, parent)
  const [from, to] = [childOf(parent, file), childOf(parent, target)]
  if (order === undefined || from === to) return true
  const rowOf = (name: string) => order.findIndex((row) => row.includes(name))
  return rowOf(to) < rowOf(from)
}

/** Returns the folders of a path of host/ that the order of their parent does not name. */
function unlisted(file: string): string[] {
  const names = dirname(file) === '.' ? [] : dirname(file).split('/')
  return ['', ...names.map((_, at) => names.slice(0, at + 1).join('/'))]
    .filter((parent) => lookup(ORDER, parent)?.flat().includes(childOf(parent, file)) === false)
    .map((parent) => `${childOf(parent, file)} of host/${parent}`)
}

/**
 * Adds an import to the graph of folders, by the two whose paths differ, unless an order covers them. A folder's own
 * files and those in `generated` are the folder itself.
 */
function addFolders(graph: Map<string, Set<string>>, { file, target }: Import): void {
  const parent = commonFolder(file, target)
  if (target === '' || lookup(ORDER, parent) !== undefined) return
  const [from, to] = [file, target].map((path) => {
    const child = childOf(parent, path)
    return join('host', parent, child === 'generated' ? '.' : child)
  }) as [string, string]
  if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to))
}

function importsOf(file: string): Import[] {
  const path = relative(HOST, file).split(sep).join('/')
  return specifiersIn(file).map((specifier) => {
    const target = specifier.startsWith('.')
      ? relative(HOST, resolve(dirname(file), specifier))
          .split(sep)
          .join('/')
      : ''
    // Build products and package.json belong to no folder of the order.
    return { file: path, specifier, target: target.startsWith('..') ? '' : target }
  })
}

const broken = findBrokenImports(ROOT)
const folders = new Map<string, Set<string>>()
for (const name of readdirSync(HOST, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!/\.tsx?$/.test(name)) continue
  const file = name.split(sep).join('/')
  for (const place of unlisted(file))
    broken.push(`host/${file}: folder ${place} is not in the list`)
  for (const found of importsOf(join(HOST, name))) {
    addFolders(folders, found)
    const rules = RULES.filter(({ of }) => of === undefined || isIn(file, of))
    for (const { reason } of rules.filter((rule) => !rule.allows(found))) {
      broken.push(`host/${file}: ${found.specifier}: ${reason}`)
    }
  }
}
for (const [folder, ...others] of findCircles(folders)) {
  broken.push(`${folder}: imports itself through ${others.join(', ')}`)
}
if (broken.length > 0) {
  process.stderr.write(`${broken.join('\n')}\n`)
  process.exitCode = 1
}
