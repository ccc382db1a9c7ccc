// Holds the words of comments and pages (tools/words/), and that an exported name of host/ belongs to one file.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesBelow } from './import-graph.ts'
import { readMarkdown } from './mentions/markdown-text.ts'
import { readSource } from './mentions/source-text.ts'
import { listedExports, repeatedExports } from './words/exported-names.ts'
import { replacedWordsIn, type WordFault, whereRates } from './words/text-words.ts'

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['.github', 'assembly', 'bench', 'host', 'test', 'tools']

/** Tables of words have the words, and generated files are held where they come from. */
const NOT_READ = /\/generated\/|^tools\/words\/|\/node_modules\//

const files = ['README.md', ...FOLDERS.flatMap((folder) => filesBelow(ROOT, folder))].filter(
  (file) => /\.(?:tsx?|mjs|md)$/.test(file) && !NOT_READ.test(file),
)
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

const lines = files.flatMap((file) =>
  file.endsWith('.md')
    ? readMarkdown(file, read(file)).prose
    : readSource(file, read(file)).comments,
)
const sources = files.filter((file) => file.startsWith('host/') && /\.tsx?$/.test(file))
const entries = sources.filter((file) => file.startsWith('host/entry/'))
const published = listedExports(entries.map(read))
const inner = new Map(
  sources.filter((file) => !entries.includes(file)).map((file) => [file, read(file)]),
)
const repeated: readonly WordFault[] = Array.from(repeatedExports(inner))
  .filter(([name]) => !published.has(name))
  .map(([name, paths]) => ({
    at: paths.join(', '),
    problem: `each exports ${name}: say of what`,
  }))

for (const { at, problem } of [...replacedWordsIn(lines), ...whereRates(lines), ...repeated]) {
  process.stderr.write(`${at}: ${problem}\n`)
  process.exitCode = 1
}
