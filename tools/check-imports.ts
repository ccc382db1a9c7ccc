// Holds the direction of imports in host/, where a folder imports only folders above it in the list, and of
// the rooms of a folder that have an order, and that in assembly/: of this tree, or of the one named.

import { readdirSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lookup } from '../host/base/lookup.ts'
import { findBrokenImports } from './assembly-imports.ts'
import { specifiersIn } from './import-graph.ts'

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const HOST = join(ROOT, 'host')

const ORDER: readonly string[] = [
  'base',
  'process',
  'worker',
  'chain-types',
  'engine',
  'state',
  'modules',
  'execute',
  'trace',
  'remote-node',
  'browser',
  'table',
  'store',
  'commit',
  'consensus',
  'snapshot',
  'dev',
  'trace-pool',
  'address-index',
  'server',
  'rpc',
  'chain-client',
  'wallet',
  'payments',
  'toolkit',
  'config',
  'log',
  'metrics',
  'node',
  'diagnosis',
  'entry',
  'cli',
  'explorer',
]

/**
 * Rooms of a folder, where they have an order: a file imports from its own room and from those above it in
 * the list. '.' is the folder itself.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  execute: ['.', 'lockstep', 'ethereum', 'simulate', 'replay'],
  trace: ['.', 'tracers', 'script', 'bundle', 'job', 'recording'],
  consensus: [
    '.',
    'comet',
    'light',
    'events',
    'tx-index',
    'validator',
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
  snapshot: ['.', 'sync', 'abci'],
  rpc: [
    'argument',
    'format',
    'subscription',
    'call',
    'answer',
    'resolve',
    'eth',
    'debug',
    'trace',
    'trace',
    'ots',
    'dev',
    '.',
    'protocol',
    'consensus',
  ],
  payments: [
    'protocol',
    'chain',
    'claim',
    'challenge',
    'settle',
    'verify',
    'gate',
    'adapter',
    'client',
    '.',
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
  node: ['.', 'home', 'network', 'open', 'serve', 'offline', 'run'],
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
  commit: ['hash', 'undo', 'flatkv', 'iavl', 'proof', 'trie', '.'],
  store: [
    'codec',
    'lmdb',
    'sqlite',
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
}

interface Import {
  /** Folder of host/ the file is in. */
  readonly folder: string
  /** Room of the folder the file is in; '.' where it is in none. */
  readonly room: string
  readonly specifier: string
  /** Folder of host/, room and file that a relative import leads to; empty for a package. */
  readonly targetFolder: string
  readonly targetRoom: string
  readonly target: string
}

interface Rule {
  readonly allows: (found: Import) => boolean
  readonly reason: string
}

const EMBEDDED = [
  'base',
  'chain-types',
  'engine',
  'state',
  'execute',
  'trace',
  'remote-node',
  'browser',
]
/** What public modules take beside: the files that read what lies in the package. */
const PACKAGED = ['node/wasm.ts', 'trace-pool/script-engine.ts']
const SERVICES = ['payments', 'wallet', 'toolkit']

const RULES: readonly Rule[] = [
  {
    allows: ({ folder, targetFolder }) =>
      targetFolder === '' || ORDER.indexOf(targetFolder) <= ORDER.indexOf(folder),
    reason: 'imports run one way: only a folder above may be imported',
  },
  {
    allows: ({ folder, room, targetFolder, targetRoom }) => {
      const rooms = targetFolder === folder ? lookup(ROOMS, folder) : undefined
      return rooms === undefined || rooms.indexOf(targetRoom) <= rooms.indexOf(room)
    },
    reason: 'imports run one way: only a room above may be imported',
  },
  {
    allows: ({ folder, specifier }) => !EMBEDDED.includes(folder) || !specifier.startsWith('node:'),
    reason: 'runs in browsers too',
  },
  {
    allows: ({ folder, targetFolder }) =>
      folder !== 'browser' || targetFolder === '' || EMBEDDED.includes(targetFolder),
    reason: 'the embedding holds only what runs in browsers',
  },
  {
    allows: ({ folder, targetFolder, target }) =>
      folder !== 'explorer' ||
      ['', 'explorer', ...EMBEDDED].includes(targetFolder) ||
      `${targetFolder}/${target}` === 'entry/browser.ts',
    reason: 'the explorer is a page: it holds only what runs in browsers',
  },
  {
    allows: ({ folder, specifier }) => folder !== 'explorer' || !specifier.startsWith('node:'),
    reason: 'runs in browsers only',
  },
  {
    allows: ({ folder, targetFolder, target }) =>
      folder !== 'entry' ||
      ['', 'entry', 'payments', 'wallet', 'toolkit', ...EMBEDDED].includes(targetFolder) ||
      PACKAGED.includes(`${targetFolder}/${target}`),
    reason: 'the public modules bring no part of a node along',
  },
  {
    allows: ({ folder, specifier }) => folder === 'server' || !/^uWebSockets/.test(specifier),
    reason: 'only host/server imports uWebSockets.js',
  },
  {
    allows: ({ folder, targetFolder, target }) =>
      folder !== 'commit' || targetFolder !== 'store' || target.startsWith('lmdb/'),
    reason: 'the app hash does not depend on the state store',
  },
  {
    allows: ({ folder, targetFolder, target }) =>
      !SERVICES.includes(folder) ||
      targetFolder !== 'store' ||
      /^(lmdb|codec|sqlite)\//.test(target),
    reason: 'services reach the chain over RPC',
  },
  {
    allows: ({ folder, room, specifier, targetFolder, targetRoom }) =>
      folder !== 'payments' ||
      !['protocol', 'client'].includes(room) ||
      (!specifier.startsWith('node:') &&
        (targetFolder === folder
          ? ['protocol', 'client'].includes(targetRoom)
          : ['', ...EMBEDDED].includes(targetFolder))),
    reason: 'what pays runs in browsers too',
  },
  {
    allows: ({ folder, room, specifier, targetFolder, targetRoom }) =>
      folder !== 'wallet' ||
      !['protocol', 'client'].includes(room) ||
      (!specifier.startsWith('node:') &&
        (targetFolder === folder
          ? ['protocol', 'client'].includes(targetRoom)
          : ['', ...EMBEDDED].includes(targetFolder))),
    reason: 'what asks for signatures runs in browsers too',
  },
]

/** The folder of host/, the room of that folder and the path below the folder, of a path below host/. */
function placeOf(path: string): { folder: string; room: string; target: string } {
  const [folder = '', ...rest] = path.split(sep)
  return { folder, room: rest.length > 1 ? (rest[0] as string) : '.', target: rest.join('/') }
}

function importsOf(file: string): Import[] {
  const { folder, room } = placeOf(relative(HOST, file))
  const outside = { targetFolder: '', targetRoom: '', target: '' }
  return specifiersIn(file).map((specifier) => {
    if (!specifier.startsWith('.')) return { folder, room, specifier, ...outside }
    const place = placeOf(relative(HOST, resolve(dirname(file), specifier)))
    // Leads out of host/: build products and package.json belong to no folder of the list.
    if (place.folder === '..') return { folder, room, specifier, ...outside }
    const { folder: targetFolder, room: targetRoom, target } = place
    return { folder, room, specifier, targetFolder, targetRoom, target }
  })
}

const broken = findBrokenImports(ROOT)
for (const name of readdirSync(HOST, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!/\.tsx?$/.test(name)) continue
  const { folder, room } = placeOf(name)
  if (!ORDER.includes(folder)) broken.push(`host/${name}: folder ${folder} is not in the list`)
  if (lookup(ROOMS, folder)?.includes(room) === false) {
    broken.push(`host/${name}: room ${room} of ${folder} is not in the list`)
  }
  for (const found of importsOf(join(HOST, name))) {
    for (const { reason } of RULES.filter((rule) => !rule.allows(found))) {
      broken.push(`host/${name}: ${found.specifier}: ${reason}`)
    }
  }
}
if (broken.length > 0) {
  process.stderr.write(`${broken.join('\n')}\n`)
  process.exitCode = 1
}
