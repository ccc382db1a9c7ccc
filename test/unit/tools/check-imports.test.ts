import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const CHECK = fileURLToPath(new URL('../../../tools/check-imports.ts', import.meta.url))

/** Checks a tree of these files. Returns the reported lines and the exit code. */
function check(files: Readonly<Record<string, string>>): { lines: string[]; code: number | null } {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-imports-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['assembly', 'host']) mkdirSync(join(root, folder))
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), source)
  }
  const { stderr, status } = spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' })
  return { lines: stderr.split('\n').filter((line) => line !== ''), code: status }
}

const STORE = {
  'host/storage/store/lmdb/lmdb-env.ts': 'export const env = 1\n',
  'host/storage/store/state/split-state.ts': 'export const split = 1\n',
  'host/storage/store/state/split.ts': 'export const members = 1\n',
}

test.each([
  [
    'the state store',
    `import { split } from '../store/state/split-state.ts'`,
    '../store/state/split-state.ts',
  ],
  ['its members', `import { members } from '../store/state/split.ts'`, '../store/state/split.ts'],
  [
    'a type of it',
    `import type { split } from '../store/state/split-state.ts'`,
    '../store/state/split-state.ts',
  ],
  [
    'what it exports',
    `export { split } from '../store/state/split-state.ts'`,
    '../store/state/split-state.ts',
  ],
  [
    'it when it runs',
    `await import('../store/state/split-state.ts')`,
    '../store/state/split-state.ts',
  ],
])(
  'the state commit may not import %s, since the app hash would depend on it',
  (_, source, specifier) => {
    expect(check({ ...STORE, 'host/storage/commit/committer.ts': `${source}\n` })).toEqual({
      lines: [
        `host/storage/commit/committer.ts: ${specifier}: the app hash does not depend on the state store`,
      ],
      code: 1,
    })
  },
)

test('the state commit may import the database that both write to', () => {
  const source = `import { env } from '../store/lmdb/lmdb-env.ts'\n`
  expect(check({ ...STORE, 'host/storage/commit/committer.ts': source })).toEqual({
    lines: [],
    code: 0,
  })
})

test('a folder imports only folders above it', () => {
  const files = {
    ...STORE,
    'host/storage/commit/committer.ts': 'export const committer = 1\n',
    'host/storage/store/state/split.ts': `import { committer } from '../../commit/committer.ts'\n`,
  }
  expect(check(files)).toEqual({
    lines: [
      'host/storage/store/state/split.ts: ../../commit/committer.ts: ' +
        'imports run one way: a file may import only from folders above its own',
    ],
    code: 1,
  })
})

test('the folders inside an ordered folder follow its import order', () => {
  const files = {
    'host/storage/store/storage.ts': `import './wal/write-ahead-log.ts'\n`,
    'host/storage/store/wal/write-ahead-log.ts': `import '../storage.ts'\n`,
    'host/storage/store/chain/block-store.ts': `import './log-index.ts'\nimport '../lmdb/lmdb-env.ts'\n`,
    'host/storage/store/lmdb/lmdb-env.ts': `import type { Block } from '../chain/block-store.ts'\n`,
    'host/storage/store/attic/old.ts': '',
  }
  const reason = 'imports run one way: a file may import only from folders above its own'
  expect(check(files)).toEqual({
    lines: [
      'host/storage/store/attic/old.ts: folder attic of host/storage/store is not in the list',
      `host/storage/store/lmdb/lmdb-env.ts: ../chain/block-store.ts: ${reason}`,
      `host/storage/store/wal/write-ahead-log.ts: ../storage.ts: ${reason}`,
    ],
    code: 1,
  })
})

test('folders without an order do not import each other in a cycle, at any level', () => {
  const files = {
    'host/explorer/page/app.ts': `import './run/run.ts'\n`,
    'host/explorer/page/link.ts': '',
    'host/explorer/page/run/run.ts': `import './calls/call.ts'\nimport '../text/text.ts'\n`,
    'host/explorer/page/run/calls/call.ts': `import type { Gas } from '../gas/gas.ts'\n`,
    'host/explorer/page/run/gas/gas.ts': `await import('../calls/line.ts')\n`,
    'host/explorer/page/run/calls/line.ts': '',
    'host/explorer/page/text/text.ts': `import '../link.ts'\n`,
  }
  expect(check(files)).toEqual({
    lines: [
      'host/explorer/page/run/calls: imports itself through host/explorer/page/run/gas, host/explorer/page/run/calls',
      'host/explorer/page: imports itself through host/explorer/page/run, host/explorer/page/text, host/explorer/page',
    ],
    code: 1,
  })
})

test('folders without an order may import each other one way, and their generated files', () => {
  const files = {
    'host/explorer/page/app.ts': `import './run/run.ts'\nimport './text/text.ts'\n`,
    'host/explorer/page/run/run.ts': `import '../text/text.ts'\n`,
    'host/explorer/page/text/text.ts': `import './generated/words.ts'\n`,
    'host/explorer/page/text/word.ts': '',
    'host/explorer/page/text/generated/words.ts': `import '../word.ts'\n`,
  }
  expect(check(files)).toEqual({ lines: [], code: 0 })
})

test('a public module may import the modules of the package, and no other part of a node', () => {
  const files = {
    'host/node/wasm.ts': 'export const wasm = 1\n',
    'host/node/node.ts': 'export const node = 1\n',
    'host/entry/engine.ts': `import { wasm } from '../node/wasm.ts'\n`,
    'host/entry/replay.ts': `import { node } from '../node/node.ts'\n`,
  }
  expect(check(files)).toEqual({
    lines: ['host/entry/replay.ts: ../node/node.ts: public modules must not load parts of a node'],
    code: 1,
  })
})

test('a folder of assembly/ and a folder of its evm/ import only those above', () => {
  const files = {
    'assembly/precompile/modexp.ts': `import { revision } from '../evm/revision'\n`,
    'assembly/evm/revision.ts': 'export const revision = 1\n',
    'assembly/evm/state/account.ts': `import { call } from '../instruction/call'\n`,
    'assembly/evm/instruction/call.ts': `import { modexp } from '../../precompile/modexp'\n`,
  }
  const reason = 'imports run one way: a file may import only from folders above its own'
  expect(check(files)).toEqual({
    lines: [
      `assembly/evm/state/account.ts: evm/instruction/call.ts: ${reason}`,
      `assembly/precompile/modexp.ts: evm/revision.ts: ${reason}`,
    ],
    code: 1,
  })
})

test('the engine does not import code that hashes state, and every folder of assembly/ is in the list', () => {
  const files = {
    'assembly/commit/mpt.ts': 'export const root = 1\n',
    'assembly/evm/state/account.ts': `import { root } from '../../commit/mpt'\n`,
    'assembly/attic/old.ts': 'export const old = 1\n',
  }
  expect(check(files)).toEqual({
    lines: [
      'assembly/attic/old.ts: its folder is not listed in tools/assembly-imports.ts',
      'assembly/evm/state/account.ts: commit/mpt.ts: only commit.wasm may import state hashing',
    ],
    code: 1,
  })
})
