import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { beforeAll, expect, test } from 'vitest'
import { COMMANDS, GROUPS } from '../../../host/cli/commands.ts'
import { OTHER_VARIABLES } from '../../../host/config/environment.ts'
import { CONFIG_ENTRIES, normalizeName, REPLACED_KEYS } from '../../../host/config/schema.ts'

// Every error text, hint and page names commands, flags, keys and variables. Each must exist.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Flags of other programs that texts name, and the form of ours. */
const OTHER_FLAGS = ['no-save', 'section.key', 'prefix', 'config', 'target', 'component']

const FLAGS_OF_ALL = ['help', 'version', 'verbose']

const flagsOf = new Map<string, ReadonlySet<string>>()
const groups = new Map<string, string>(
  Object.entries(GROUPS).flatMap(([name, { aliases }]) =>
    [name, ...aliases].map((word) => [word, name]),
  ),
)

beforeAll(async () => {
  for (const { name, group, load } of COMMANDS) {
    const command = new Command()
    const define = await load()
    define(command)
    const flags = command.options.map(({ long }) => (long ?? '').slice(2))
    flagsOf.set(
      group === undefined ? name : `${group} ${name}`,
      new Set([...flags, ...FLAGS_OF_ALL]),
    )
  }
})

const matches = (text: string, pattern: RegExp): string[][] =>
  Array.from(text.matchAll(pattern), (match) => [...match].map((part) => part ?? ''))

const FLAG = /(?<=[\s'"`(])--([a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*)(?![\w.]*#)/g

/** What is wrong with the words behind `lockstep`. */
function wrongCommand(line: string): string[] {
  const [first = '', second = ''] = line.split(/\s+/)
  if (!/^[a-z]/.test(first)) return []
  const group = groups.get(first)
  const flags = flagsOf.get(group === undefined ? first : `${group} ${second}`)
  if (flags === undefined) return [`lockstep ${line}`]
  return matches(` ${line}`, FLAG)
    .filter(([, flag = '']) => !flags.has(normalizeName(flag)))
    .map(([, flag]) => `lockstep ${first} --${flag}`)
}

function wrongFlags(text: string): string[] {
  const known = new Set([...flagsOf.values()].flatMap((flags) => [...flags]).concat(OTHER_FLAGS))
  return matches(text, FLAG)
    .filter(([, flag = '']) => !known.has(normalizeName(flag)))
    .map(([, flag]) => `--${flag}`)
}

function wrongKeys(text: string): string[] {
  const known = new Set([
    ...CONFIG_ENTRIES.map(({ name }) => normalizeName(name)),
    ...REPLACED_KEYS.keys(),
  ])
  const named = [
    ...matches(
      text,
      /(?<![\w.-])(?:evm|state-(?:store|sync|commit))\.([a-z]+(?:[-_][a-z]+)+)\b(?![(.])/g,
    ),
    ...matches(
      text,
      /\[(?:evm|state-(?:store|sync|commit)|rpc|mempool)\] ([a-z]+(?:[-_][a-z]+)+)/g,
    ),
    ...matches(text, /(?<![\w/.-])((?:evm-ss|ss|sc)-[a-z]+(?:-[a-z]+)*)(?![\w.-])/g),
  ]
  return named.map(([, key = '']) => key).filter((key) => !known.has(normalizeName(key)))
}

function wrongVariables(text: string): string[] {
  const known = new Set([
    ...CONFIG_ENTRIES.map(({ variable }) => variable),
    ...Object.keys(OTHER_VARIABLES),
  ])
  return matches(text, /\bLOCKSTEP_[A-Z0-9_]+[A-Z0-9]\b/g)
    .map(([name = '']) => name)
    .filter((name) => name !== 'LOCKSTEP_SECTION_KEY' && !known.has(name))
}

function wrongNames(text: string): string[] {
  const commands = [
    ...matches(text, /\\?`lockstep ([^`\\]+)\\?`/g),
    ...matches(text, /npm run -s lockstep -- ([^\n#`]+)/g),
  ].flatMap(([, line = '']) => wrongCommand(line.trim()))
  return [...commands, ...wrongFlags(text), ...wrongKeys(text), ...wrongVariables(text)]
}

function files(folder: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path))
    .map((path) => join(folder, path))
}

test('finds a name that does not exist', () => {
  const text = `'run \`lockstep rollback\` or \`lockstep start --frob\`, set evm.http_prot, ss-bakcend, LOCKSTEP_HOM'`
  expect(wrongNames(text)).toEqual([
    'lockstep rollback',
    'lockstep start --frob',
    '--frob',
    'http_prot',
    'ss-bakcend',
    'LOCKSTEP_HOM',
  ])
})

/** Its `evm` is that of genesis.json, not a section of app.toml. */
const GENESIS_KEYS = 'host/chain-types/genesis-codec.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('every name in a text, a hint or a page is one', () => {
  const paths = ['README.md', ...files('host', /\.(ts|md)$/)].filter(
    (path) => path !== GENESIS_KEYS,
  )
  const wrong = paths.map((path) => [path, wrongNames(read(path))] as const)
  expect(wrong.filter(([, names]) => names.length > 0)).toEqual([])
})

test('tests read variables that exist', () => {
  const paths = files('test', /\.(ts|md)$/).filter(
    (path) => !/named\.test|config\/load\.test/.test(path),
  )
  const wrong = paths.map((path) => [path, wrongVariables(read(path))] as const)
  expect(wrong.filter(([, names]) => names.length > 0)).toEqual([])
})

test('no program finds its files by a path in which a space is %20', () => {
  const paths = ['host', 'test', 'bench', 'tools'].flatMap((folder) => files(folder, /\.(ts|mjs)$/))
  const bad = paths.filter((path) => /import\.meta\.url\)\.pathname/.test(read(path)))
  expect(bad).toEqual([])
})
