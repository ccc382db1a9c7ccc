// Prints the number of files of each folder, their median and their largest size, for this tree or the named one.
// Fails if imports form a cycle, a file is too large, or git tracks a file at the top level that does not belong
// there. With --quiet, as in `npm run check`, it prints only the failures.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesBelow, findCircles, importGraph } from './import-graph.ts'

const FOLDERS = ['assembly', 'host', 'test', 'bench', 'tools']

/** Other entries of the top level. Names that begin with a dot belong to tools. */
const TOP_LEVEL: ReadonlySet<string> = new Set([
  ...FOLDERS,
  'LICENSE',
  'README.md',
  'asconfig.json',
  'package.json',
  'package-lock.json',
])

const MAX_BYTES = 25_000

/**
 * The loop of the interpreter is one function, because a call in it is slower than a case. The pages of all methods and
 * of all commands are generated, to be searched.
 */
const LARGE_FILES = [
  'assembly/evm/interpreter/interpreter.ts',
  'host/api/rpc/METHODS.md',
  'host/cli/COMMANDS.md',
]

interface SizedFile {
  readonly path: string
  readonly bytes: number
}

/** Whether the size limit applies: not to output of a generator or npm. */
function isWritten(path: string): boolean {
  if (basename(path) === 'package-lock.json') return false
  return !path.split(sep).includes('generated') && !LARGE_FILES.includes(path)
}

/** Returns the top-level names that git tracks; none in a copy without git. */
function keptAtTop(root: string): string[] {
  const listed = spawnSync('git', ['-C', root, 'ls-files', '-z'], { encoding: 'utf8' })
  const paths = (listed.stdout ?? '').split('\0').filter((path) => path !== '')
  return [...new Set(paths.map((path) => path.split('/')[0] ?? path))]
}

function median(ascending: readonly SizedFile[]): number {
  const middle = ascending.length >> 1
  const upper = ascending[middle]?.bytes ?? 0
  if (ascending.length % 2 === 1) return upper
  return Math.round(((ascending[middle - 1]?.bytes ?? 0) + upper) / 2)
}

function printTable(files: readonly SizedFile[]): void {
  process.stdout.write(' files  median bytes  largest bytes  folder\n')
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) {
    const ascending = files
      .filter(({ path }) => dirname(path) === folder)
      .sort((a, b) => a.bytes - b.bytes)
    const { path = '', bytes = 0 } = ascending.at(-1) ?? {}
    const numbers = [
      `${ascending.length}`.padStart(6),
      `${median(ascending)}`.padStart(14),
      `${bytes}`.padStart(15),
    ]
    process.stdout.write(`${numbers.join('')}  ${folder} (${basename(path)})\n`)
  }
}

const root =
  process.argv.slice(2).find((argument) => !argument.startsWith('--')) ??
  fileURLToPath(new URL('..', import.meta.url))
const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)))
const files = folders
  .flatMap((folder) => filesBelow(root, folder))
  .map((path) => ({ path, bytes: statSync(join(root, path)).size }))
if (!process.argv.includes('--quiet')) printTable(files)

const broken = [
  ...keptAtTop(root)
    .filter((name) => !TOP_LEVEL.has(name) && !name.startsWith('.'))
    .map(
      (name) => `${name}: does not belong at the top level; move it below a folder, or delete it`,
    ),
  ...files
    .filter(({ path, bytes }) => bytes > MAX_BYTES && isWritten(path))
    .map(
      ({ path, bytes }) =>
        `${path}: ${bytes} bytes: a file may have at most ${MAX_BYTES}; split it by purpose`,
    ),
  ...findCircles(importGraph(root, folders)).map(
    (circle) => `${circle[0]}: imports itself through ${circle.slice(1).join(', ')}`,
  ),
]
if (broken.length > 0) {
  process.stderr.write(`${broken.join('\n')}\n`)
  process.exitCode = 1
}
