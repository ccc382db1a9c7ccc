// Finds names in pages, error messages, hints and comments that do not exist: files and folders, commands and their
// flags, npm scripts, configuration keys, environment variables, metrics, methods and error codes. Finds figures of
// pages that differ from the source too (mentions/facts.ts). Checks this tree, or the named one.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CommandLines } from './mentions/command-lines.ts'
import { FACTS, factFault } from './mentions/facts.ts'
import { type MarkdownText, readMarkdown } from './mentions/markdown-text.ts'
import type { BrokenMention, Mention } from './mentions/mention.ts'
import { isErrorCode, nameFault } from './mentions/names.ts'
import { looksLikePath, Paths } from './mentions/paths.ts'
import { readSource } from './mentions/source-text.ts'

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))

/** Folders without files of the project. */
const SKIPPED = ['node_modules', '.git', '.cache', 'build', 'dist']

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return SKIPPED.includes(entry.name) ? [] : filesOf(path)
    return [path]
  })
}

const files = filesOf('').sort()
const paths = new Paths(files)
const commandLines = await CommandLines.load()
const scripts: ReadonlySet<string> = new Set(
  Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts ?? {}),
)
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const pages = new Map<string, MarkdownText>(
  files
    .filter((file) => file.endsWith('.md'))
    .map((file) => [file, readMarkdown(file, read(file))]),
)
const sources = files
  .filter((file) => /\.(tsx?|mjs)$/.test(file))
  .map((file) => ({ file, text: read(file) }))
/** Names in the code: constants in capitals, and quoted strings. */
const ownNames = new Set(
  sources.flatMap(({ text }) => text.match(/\b[A-Z]+(?:_[A-Z0-9]+)+\b|(?<=')[\w.-]+(?=')/g) ?? []),
)

const NO_PATH = 'no such file or folder'
const NO_FLAG = 'no command has this flag'
/** Flags of geth, reth and Node, which remedies name. */
const OTHER_FLAGS = [
  '--http.corsdomain',
  '--http.api',
  '--gcmode',
  '--allow-fs-read',
  '--allow-fs-write',
]

const broken: BrokenMention[] = []
function report(mention: Mention, text: string, reason: string | undefined): void {
  if (reason !== undefined) broken.push({ ...mention, text, reason })
}

/** Checks a line for a shell with a command of the project, or of npm for one of its scripts. */
function checkCommand(mention: Mention): void {
  const line = mention.text.trim()
  const script = /^(?:npm run(?: -s)? |npm (?=test|start))([\w:-]+)(?: -- (.*))?/.exec(line)
  if (script !== null) {
    const [, name = '', args = ''] = script
    if (!scripts.has(name)) report(mention, line, `package.json has no script ${name}`)
    else if (name === 'lockstep') report(mention, line, commandLines.fault(args))
    return
  }
  const own = /^lockstep( .*)?$/.exec(line)
  if (own !== null) report(mention, line, commandLines.fault(own[1] ?? ''))
  const tool = /^node (?!-)([\w./-]+)/.exec(line)?.[1]
  if (tool !== undefined && looksLikePath(tool) && tool.includes('/')) checkPath(mention, tool)
}

/** Files that the reader of a page creates. */
const MADE_BY_READERS = ['first.mjs', 'fixture.mjs', 'backend.mjs', 'agent.mjs']

function checkPath(mention: Mention, path: string): void {
  // The code names the folders of a home.
  const isKnown = MADE_BY_READERS.includes(path) || ownNames.has(path.replace(/\/$/, ''))
  if (!isKnown && !paths.has(path, mention.file)) report(mention, path, NO_PATH)
}

function checkSpan(mention: Mention): void {
  const { text, file } = mention
  if (looksLikePath(text)) checkPath(mention, text)
  else if (/^[A-Z]+(_[A-Z0-9]+)+$/.test(text) && !text.startsWith('LOCKSTEP_')) {
    if (!isErrorCode(text) && !ownNames.has(text)) report(mention, text, 'no error of this name')
  } else if (/^--[a-z]/.test(text)) {
    const [flag = ''] = text.split(/[ =]/)
    const isOwn = file === 'README.md' || file.startsWith('host/')
    if (isOwn && !commandLines.hasFlag(flag)) report(mention, flag, NO_FLAG)
  } else if (!ownNames.has(text)) {
    report(mention, text, nameFault(text))
    checkCommand(mention)
  }
}

/** File names in prose without code marks, by extensions that only sources have. */
const FILE_IN_PROSE =
  /(?:^|[\s`(|])([\w@*.-]*[\w@*/-]*\/?[\w-]+\.(?:tsx?|mjs|md|wit))(?=$|[\s`),:;.])/g

function checkProse(mention: Mention, isThere: (path: string) => boolean): void {
  for (const [, path = ''] of mention.text.matchAll(FILE_IN_PROSE)) {
    if (looksLikePath(path) && !isThere(path)) report(mention, path, NO_PATH)
  }
}

function checkLink(mention: Mention): void {
  const { file, text } = mention
  if (/^[a-z]+:/.test(text)) return
  const [path = '', anchor] = text.split('#')
  const target = path === '' ? file : posix.join(posix.dirname(file), path)
  if (path !== '' && !paths.hasFrom(path, file)) report(mention, text, NO_PATH)
  else if (anchor !== undefined && pages.get(target)?.anchors.has(anchor) === false) {
    report(mention, text, 'no such heading')
  }
}

function checkPage(page: MarkdownText): void {
  for (const span of page.spans) checkSpan(span)
  for (const line of page.prose) checkProse(line, (path) => paths.has(path, line.file))
  for (const command of page.commands) {
    for (const text of command.text.split(/ (?:&&|;|\|) /)) checkCommand({ ...command, text })
  }
  for (const setting of page.settings) report(setting, setting.text, nameFault(setting.text))
  for (const link of page.links) checkLink(link)
}

/** Checks a message of the program: a string with a space is a sentence, not a name. */
function checkSentence(mention: Mention): void {
  const { text } = mention
  for (const [, line = ''] of text.matchAll(/`((?:lockstep|npm) [^`]*)`/g)) {
    if (!line.includes('${')) checkCommand({ ...mention, text: line })
  }
  if (!text.includes(' ') || text.includes('npm install')) return
  for (const [flag] of text.matchAll(/(?<![\w-])--[a-z][\w.-]*\w/g)) {
    const isKnown = OTHER_FLAGS.includes(flag) || commandLines.hasFlag(flag)
    if (!isKnown) report(mention, flag, NO_FLAG)
  }
  for (const [setting] of text.matchAll(/\[[a-z-]+\] [a-z]+(?:[-_][a-z]+)+/g)) {
    report(mention, setting, nameFault(`${setting} = 0`))
  }
  for (const [name] of text.matchAll(/\b[a-z][a-z0-9]*(?:[._-][A-Za-z0-9]+)+\b(?!\*)/g)) {
    report(mention, name, nameFault(name))
  }
}

/** Tests of the rejection of names that do not exist. */
const REFUSALS = [
  'test/unit/base/config/inspect.test.ts',
  'test/unit/base/config/load.test.ts',
  'test/unit/tools/check-mentions.test.ts',
]

function checkSource(file: string, text: string): void {
  const { strings, comments } = readSource(file, text)
  for (const comment of comments) {
    const isThere = (path: string): boolean =>
      paths.has(path, file) || (!path.includes('/') && paths.hasName(path))
    checkProse(comment, isThere)
  }
  if (file.startsWith('host/')) strings.forEach(checkSentence)
  if (REFUSALS.includes(file)) return
  for (const [index, line] of text.split('\n').entries()) {
    const pathname = /import\.meta\.url\)\.pathname/.exec(line)?.[0]
    if (pathname !== undefined) {
      report(
        { file, line: index + 1, text: line },
        pathname,
        'a space in it is %20: use fileURLToPath',
      )
    }
    for (const [name] of line.matchAll(/\bLOCKSTEP_[A-Z0-9_]*[A-Z0-9]\b/g)) {
      report({ file, line: index + 1, text: name }, name, nameFault(name))
    }
  }
}

for (const page of pages.values()) checkPage(page)
for (const fact of FACTS) {
  const { page, source, claim } = fact
  const mention = { file: page, line: 1, text: claim.source }
  if (files.includes(page) && files.includes(source))
    report(mention, claim.source, factFault(fact, read))
}
for (const { file, text } of sources) checkSource(file, text)

if (broken.length > 0) {
  broken.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
  const lines = broken.map(({ file, line, text, reason }) => `${file}:${line}: ${text}: ${reason}`)
  process.stderr.write(`${[...new Set(lines)].join('\n')}\n`)
  process.exitCode = 1
}
