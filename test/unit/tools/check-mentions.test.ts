import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'

const CHECK = fileURLToPath(new URL('../../../tools/check-mentions.ts', import.meta.url))

const TREE = {
  'package.json':
    '{"scripts": {"test": "vitest", "start": "node start.mjs", "lockstep": "node ."}}',
  'host/storage/store/wal/write-ahead-log.ts': '',
  'host/base/error-table.ts': '',
  'tools/generate-curves.ts': '',
}

/** Checks a tree of these files in addition to those above. Returns the reported lines and the exit code. */
function check(files: Readonly<Record<string, string>>): { lines: string[]; code: number | null } {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-mentions-'))
  for (const [path, source] of Object.entries({ ...TREE, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), source)
  }
  const { stderr, status } = spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' })
  rmSync(root, { recursive: true })
  return { lines: stderr.split('\n').filter((line) => line !== ''), code: status }
}

test('pages may name existing files, relative to their folder, to its parent or to a subfolder', () => {
  const page = [
    '# Store',
    '`wal/write-ahead-log.ts`, `write-ahead-log.ts`, `base/error-table.ts`, `host/base/` and `tools/generate-*.ts`,',
    '[the log](wal/write-ahead-log.ts), [above](#store), `config/app.toml`, `data/evm_ss/` of a home;',
    '`npm test`, `npm run -s lockstep -- start --dev --evm.http_port 0 --payments.enable true`, `lockstep debug verify-db --json`,',
    '`lockstep snapshot export|list`, `lockstep <command>`, `[evm] http_port`, `evm.max_client_bytes`,',
    '`ss-backend = "rocksdb"`, `LOCKSTEP_EVM_HTTP_PORT`, `lockstep_store_*`, `lockstep_rpc_request_seconds_bucket`,',
    '`eth_chainId`, `STORE_CORRUPTED`, `EIP-2929`',
    '```sh',
    'npm run -s lockstep -- init <moniker> --chain-id 1329 \\',
    '  --fund <address>=1ether   # and no more',
    'lockstep start --home ~/other',
    '```',
    '```toml',
    '[state-store]',
    'ss-keep-recent = 0',
    '[[payments.resource]]',
    'price = "0.001"',
    '```',
  ]
  expect(check({ 'host/storage/store/README.md': page.join('\n') })).toEqual({ lines: [], code: 0 })
})

const BROKEN = [
  ['`wal/log-files.ts`', 'wal/log-files.ts: no such file or folder'],
  ['the log (log-files.ts) is', 'log-files.ts: no such file or folder'],
  ['`rooms/`', 'rooms/: no such file or folder'],
  ['`host/storage/store/rooms`', 'host/storage/store/rooms: no such file or folder'],
  ['`tools/gen-*.ts`', 'tools/gen-*.ts: no such file or folder'],
  ['[the log](../wal.ts)', '../wal.ts: no such file or folder'],
  ['[below](#what-it-holds)', '#what-it-holds: no such heading'],
  ['`npm run -s benches`', 'npm run -s benches: package.json has no script benches'],
  ['`lockstep frob`', 'lockstep frob: `lockstep frob` is not a command'],
  [
    '`lockstep debug frob --json`',
    'lockstep debug frob --json: `lockstep debug frob` is not a command',
  ],
  [
    '`lockstep snapshot export|frob`',
    'lockstep snapshot export|frob: `lockstep snapshot frob` is not a command',
  ],
  ['`lockstep init --chain 1`', 'lockstep init --chain 1: `init` has no flag --chain'],
  ['`lockstep version 1`', 'lockstep version 1: `version` takes 0 arguments'],
  [
    '`npm run lockstep -- start --evm.http-prot 1`',
    'npm run lockstep -- start --evm.http-prot 1: `start` has no flag --evm.http-prot',
  ],
  ['`--frob`', '--frob: no command has this flag'],
  ['`evm.max_frobs`', 'evm.max_frobs: no configuration key of this name'],
  ['`max_trace_frobs`', 'max_trace_frobs: no configuration key of this name'],
  ['`ss-frob = 1`', 'ss-frob = 1: no configuration key of this name'],
  ['`LOCKSTEP_FROB`', 'LOCKSTEP_FROB: no environment variable of this name'],
  ['`lockstep_frobs_total`', 'lockstep_frobs_total: no metric of this name'],
  ['`eth_frob`', 'eth_frob: no method of this name'],
  ['`STORE_FROBBED`', 'STORE_FROBBED: no error of this name'],
] as const

const BROKEN_PAGE = BROKEN.map(([mention]) => `Some words, then ${mention}.`)

const BROKEN_BLOCKS = [
  '```sh',
  'npm run -s lockstep -- snapshot \\',
  '  frob',
  'npm run frob && npm test',
  '```',
  '```toml',
  '[evm]           # app.toml',
  'http_port = 1',
  'ss-backend = "lmdb"',
  '[[payments.resource]]',
  'http_port = 1',
  '```',
]

const BROKEN_HOST = [
  '/** As in wal/log-files.ts, and in write-ahead-log.ts. */',
  "const hint = 'run `lockstep frob`, or pass --frob'",
  'const other = `set evm.max_frobs to 1, then lockstep_frobs_total is 0`',
  "const good = 'run `lockstep start`, pass --home, set evm.http_port'",
  '// debug_frob is of error-table.ts',
]

const BROKEN_TEST = [
  'const seed = process.env.LOCKSTEP_FRAB',
  'const known = process.env.LOCKSTEP_SEED',
  "const here = new URL('.', import.meta.url).pathname",
]

describe('the check of a tree whose names refer to nothing', () => {
  // The check takes a second to start, so that it runs once for all files.
  let said: { lines: string[]; code: number | null }
  beforeAll(() => {
    said = check({
      'host/storage/store/README.md': BROKEN_PAGE.join('\n'),
      'README.md': BROKEN_BLOCKS.join('\n'),
      'host/storage/store/error.ts': BROKEN_HOST.join('\n'),
      'test/frob.ts': BROKEN_TEST.join('\n'),
    })
  })
  const saidOf = (file: string) => said.lines.filter((line) => line.startsWith(`${file}:`))

  test('fails the check, without reports on other files', () => {
    const files = new Set(said.lines.map((line) => line.split(':')[0]))
    expect([...files]).toEqual([
      'host/storage/store/error.ts',
      'host/storage/store/README.md',
      'README.md',
      'test/frob.ts',
    ])
    expect(said.code).toBe(1)
  })

  test('reports each wrong name of a page with its line', () => {
    expect(saidOf('host/storage/store/README.md')).toEqual(
      BROKEN.map(([, text], index) => `host/storage/store/README.md:${index + 1}: ${text}`),
    )
  })

  test('reports wrong names in the code blocks of a page, with the line at which a command begins', () => {
    expect(saidOf('README.md')).toEqual([
      'README.md:2: npm run -s lockstep -- snapshot   frob: `lockstep snapshot frob` is not a command',
      'README.md:4: npm run frob: package.json has no script frob',
      'README.md:9: [evm] ss-backend = "lmdb": no configuration key of this name',
      'README.md:11: [payments.resource] http_port = 1: no configuration key of this name',
    ])
  })

  test('reports wrong names in errors, hints and comments of the host', () => {
    expect(saidOf('host/storage/store/error.ts')).toEqual([
      'host/storage/store/error.ts:1: wal/log-files.ts: no such file or folder',
      'host/storage/store/error.ts:2: lockstep frob: `lockstep frob` is not a command',
      'host/storage/store/error.ts:2: --frob: no command has this flag',
      'host/storage/store/error.ts:3: evm.max_frobs: no configuration key of this name',
      'host/storage/store/error.ts:3: lockstep_frobs_total: no metric of this name',
    ])
  })

  test('reports unknown environment variables in code, and URL paths in which a space becomes %20', () => {
    expect(saidOf('test/frob.ts')).toEqual([
      'test/frob.ts:1: LOCKSTEP_FRAB: no environment variable of this name',
      'test/frob.ts:3: import.meta.url).pathname: a space in it is %20: use fileURLToPath',
    ])
  })
})
