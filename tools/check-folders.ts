// Prints the number of files of each folder, their median and their largest size, and fails where files
// import each other in a circle, one is too large to be read or git keeps one at the top level that does not belong there:
// of this tree, or of the one named. With --quiet, as `npm run check` has it, it prints only what is broken.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesBelow, findCircles, importGraph } from './import-graph.ts'

const FOLDERS = ['assembly', 'host', 'test', 'bench', 'tools']

/** What else the top level has; names with a dot are of tools. */
const TOP_LEVEL: ReadonlySet<string> = new Set([
  ...FOLDERS,
  'LICENSE',
  'README.md',
  'asconfig.json',
  'package.json',
  'package-lock.json',
])

const MAX_BYTES = 25_000

/** The loop of the interpreter is one function: a call in it is slower than a case. */
const LARGE_FILES = ['assembly/evm/interpreter/interpreter.ts']

interface SizedFile {
  readonly path: string
  readonly bytes: number
}

/** Whether a file's size is for its readers: nobody reads what a generator or npm writes. */
function isWritten(path: string): boolean {
  if (basename(path) === 'package-lock.json') return false
  return !path.split(sep).includes('generated') && !LARGE_FILES.includes(path)
}

/** Names of what git keeps at the top level; none in a copy that has no git. */
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
        `${path}: ${bytes} bytes: a file has ${MAX_BYTES} at most; split it by what it serves`,
    ),
  ...findCircles(importGraph(root, folders)).map(
    (circle) => `${circle[0]}: imports itself by way of ${circle.slice(1).join(', ')}`,
  ),
]
if (broken.length > 0) {
  process.stderr.write(`${broken.join('\n')}\n`)
  process.exitCode = 1
}
