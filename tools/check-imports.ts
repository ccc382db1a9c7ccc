// Holds the direction of imports in host/, where a folder imports only folders above it in the list: of
// this tree, or of the one named.
import { readdirSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { specifiersIn } from './import-graph.ts'

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const HOST = join(ROOT, 'host')

const ORDER: readonly string[] = [
  'base',
  'chain-types',
  'engine',
  'state',
  'modules',
  'execute',
  'trace',
  'table',
  'store',
  'commit',
  'consensus',
  'snapshot',
  'trace-pool',
  'server',
  'rpc',
  'payments',
  'wallet',
  'toolkit',
  'config',
  'log',
  'metrics',
  'node',
  'entry',
  'cli',
  'browser',
]

interface Import {
  /** Folder of host/ the file is in. */
  readonly folder: string
  readonly specifier: string
  /** Folder of host/ and file that a relative import leads to; empty for a package. */
  readonly targetFolder: string
  readonly target: string
}

interface Rule {
  readonly allows: (found: Import) => boolean
  readonly reason: string
}

const EMBEDDED = ['base', 'chain-types', 'engine', 'state', 'execute', 'trace', 'browser']
const SERVICES = ['payments', 'wallet', 'toolkit']

const RULES: readonly Rule[] = [
  {
    allows: ({ folder, targetFolder }) =>
      targetFolder === '' || ORDER.indexOf(targetFolder) <= ORDER.indexOf(folder),
    reason: 'imports run one way: only a folder above may be imported',
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
    allows: ({ folder, specifier }) => folder === 'server' || !/^uWebSockets/.test(specifier),
    reason: 'only host/server imports uWebSockets.js',
  },
  {
    allows: ({ folder, targetFolder, target }) =>
      folder !== 'commit' || targetFolder !== 'store' || target.startsWith('lmdb/'),
    reason: 'the app hash does not depend on the state store',
  },
  {
    allows: ({ folder, targetFolder }) => !SERVICES.includes(folder) || targetFolder !== 'store',
    reason: 'services reach the chain over RPC',
  },
]

function importsOf(file: string): Import[] {
  const [folder = ''] = relative(HOST, file).split(sep)
  return specifiersIn(file).map((specifier) => {
    if (!specifier.startsWith('.')) return { folder, specifier, targetFolder: '', target: '' }
    const [targetFolder = '', ...rest] = relative(HOST, resolve(dirname(file), specifier)).split(
      sep,
    )
    // Leads out of host/: build products and package.json belong to no folder of the list.
    if (targetFolder === '..') return { folder, specifier, targetFolder: '', target: '' }
    return { folder, specifier, targetFolder, target: rest.join('/') }
  })
}

const broken: string[] = []
for (const name of readdirSync(HOST, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!name.endsWith('.ts')) continue
  const [folder = ''] = name.split(sep)
  if (!ORDER.includes(folder)) broken.push(`host/${name}: folder ${folder} is not in the list`)
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
