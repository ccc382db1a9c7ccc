import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { commandsOf, fencedBlocks } from '../support/markdown-blocks.ts'
import { GUIDES } from './readme/readme-parts.ts'
import { ReadmeReader } from './readme/readme-reader.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The command for a network of six machines. */
const ON_MACHINES =
  'lockstep network init --validators 4 --full 2 --out network --chain-id 4242 ' +
  '--fund 0x1111111111111111111111111111111111111111=1000000ether ' +
  '--hosts 10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6'

/** Other pages with commands, and the command run in place of each. */
const PAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'assembly/README.md': {
    // The set-up has already run it to build the checkout.
    'node node_modules/.bin/asc assembly/engine.ts --config asconfig.json --target engine':
      'node node_modules/.bin/asc --version && grep -q \'"engine"\' asconfig.json',
  },
  'bench/README.md': {
    'npm run -s bench -- <name>': 'npm run -s bench 2>&1 | grep -q chain',
    // A test reaches no network.
    'npm install --no-save --prefix bench/peers': 'ls bench/peers/package-lock.json',
  },
  'host/node/network/README.md': {
    'lockstep network init --validators 4 --full 2 --out network':
      'npm run -s lockstep -- network init --validators 4 --full 2 --out network',
    'lockstep network start network':
      'npm run -s lockstep -- network start --help | grep -q -e --ready-file',
    [ON_MACHINES]: `rm -r network && npm run -s ${ON_MACHINES.replace('lockstep', 'lockstep --')}`,
    'lockstep init newcomer --mode full --chain-id 4242 --genesis genesis.json --home ~/newcomer':
      'npm run -s lockstep -- init newcomer --mode full --chain-id 4242 --genesis network/full-1/config/genesis.json --home ~/newcomer',
    // test/network/continued.slow.test.ts exports from a home whose chain has blocks.
    'lockstep genesis export --home ~/.lockstep --out genesis.json':
      'npm run -s lockstep -- genesis export --help | grep -q -e --out',
    'lockstep snapshot export --home ~/.lockstep':
      'npm run -s lockstep -- snapshot export --help | grep -q -e --home',
    'lockstep snapshot import SNAPSHOT --home ~/newcomer --mode validator':
      'npm run -s lockstep -- snapshot import --help | grep -q -e --mode',
  },
  'test/README.md': {
    // Whole test sets run for minutes, and one contains this test, so a single file stands for each. README uses the
    // same commands.
    'npm test # the fast set: what to run while changing the code':
      'npm pkg get scripts.test | grep -q "run.mjs test"',
    'npm test -- test/unit/storage/store # its files whose path contains the text':
      'ls test/unit/storage/store/*.test.ts',
    "npm test -- test/unit/base -t 'two digits' # of these the tests whose name contains the text":
      "grep -rq 'two digits' test/unit/base",
    'npm run test:all # the fast set and the slow one':
      'npm pkg get scripts.test:all | grep -q "run.mjs test:all"',
    'npm run test:all -- --project slow # the slow set alone':
      'npm run test:all -- --project slow --passWithNoTests test/unit/base/hex.test.ts',
    'npm run test:all -- test/faults/kill # files of both sets': 'ls test/faults/kill*.test.ts',
  },
  'test/conformance/README.md': {
    // A checkout does not contain the vectors.
    'npm run -s conformance -- <folder>... # or LOCKSTEP_VECTORS=<folder>':
      'mkdir -p none && npm run -s conformance -- none',
  },
  'test/browser/README.md': {
    // They run for minutes, in the same set as this test.
    'npm run test:all -- test/browser': 'ls test/browser/*.slow.test.ts',
  },
  'test/fuzz/README.md': {
    'npm run fuzz -- --seconds 60 --seed 1': 'npm run fuzz -- --seconds 1 --seed 1',
  },
}

const reader = await ReadmeReader.arrive()

afterAll(() => reader?.leave())

test('every page with command blocks is in the list of pages to test', () => {
  const followed = new Set<string>(Object.values(GUIDES).flat())
  const pages = ['assembly', 'bench', 'host', 'test', 'tools'].flatMap((part) =>
    readdirSync(join(ROOT, part), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('README.md') && !path.includes('node_modules'))
      .map((path) => join(part, path))
      .filter((path) => !followed.has(path)),
  )
  const found = pages.flatMap((path) => {
    const commands = pageCommands(path)
    return commands.length === 0 ? [] : [[path, commands] as const]
  })
  const known = Object.entries(PAGES).map(([path, rows]) => [path, Object.keys(rows)] as const)
  expect(new Map(found)).toEqual(new Map(known))
})

/** Returns the commands at the beginning of lines in a page's shell blocks. */
function pageCommands(path: string): readonly string[] {
  return fencedBlocks(readFileSync(join(ROOT, path), 'utf8'))
    .filter(({ language }) => language === '' || language === 'sh')
    .flatMap(({ text }) => commandsOf(text))
    .filter((command) => /^(npm|npx|node|lockstep) /.test(command))
    .map((command) => command.replace(/ +/g, ' '))
}

test.skipIf(reader === undefined)(
  'the contributor guide works as described, and so do the commands of other pages',
  async () => {
    await reader?.read(GUIDES.contributors)
    for (const command of Object.values(PAGES).flatMap((rows) => Object.values(rows))) {
      await reader?.run(command)
    }
  },
  600_000,
)
