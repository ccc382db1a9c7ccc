import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { makeHome, removeHome, startDaemon } from '../../../support/node/daemon.ts'
import { call } from '../../../support/node/json-rpc.ts'
import { runProgram } from '../../../support/program.ts'

const RECORD = fileURLToPath(new URL('./record-modules.cjs', import.meta.url))
/** Runs from source, since a bundle has only the names of its own files. */
const MAIN = fileURLToPath(new URL('../../../../host/cli/main.ts', import.meta.url))
const SOURCES = new URL('../../../../host/', import.meta.url).href

const home = makeHome()
afterAll(() => removeHome(home))

const recordTo = (path: string) => ({
  NODE_OPTIONS: `--require ${JSON.stringify(RECORD)}`,
  MODULES: path,
})

/** Folders of host/ that contain folders of different purposes. */
const WIDE = ['base', 'evm', 'client', 'storage', 'chain', 'explorer', 'api']

/** Returns what a process has loaded: folders of host/, and packages, including indirect ones. */
function loaded(path: string): { folders: string[]; packages: string[] } {
  const urls = readFileSync(path, 'utf8').trim().split('\n')
  const below = (start: string, nameOf: (parts: readonly string[]) => readonly string[]) => {
    const paths = urls.filter((url) => url.includes(start))
    const parts = paths.map((url) => url.slice(url.lastIndexOf(start) + start.length).split('/'))
    return [...new Set(parts.map((part) => nameOf(part).join('/')))].sort()
  }
  return {
    folders: below(SOURCES, (parts) =>
      parts.slice(0, -1).slice(0, WIDE.includes(parts[0] ?? '') ? 2 : 1),
    ),
    packages: below('/node_modules/', (parts) => parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1)),
  }
}

test('the version command loads no node and only the package of the command line', async () => {
  const path = join(home, 'version-modules')
  const { code } = await runProgram([process.execPath, MAIN, '--version'], '', {
    variables: recordTo(path),
  })
  expect(code).toBe(0)
  expect(loaded(path)).toEqual({
    folders: ['base', 'base/process', 'cli', 'node'],
    packages: ['commander'],
  })
})

test('a development chain makes a block without loading payments, wallets, metrics, file checks or typed-data checks', async () => {
  const path = join(home, 'start-modules')
  const daemon = await startDaemon({
    home,
    main: MAIN,
    variables: recordTo(path),
    arguments: ['--dev.automine', 'true'],
  })
  await call(daemon.ready.rpc, 'evm_mine', [])
  expect(await daemon.stop()).toBe(0)
  const { folders, packages } = loaded(path)
  const native = packages.filter((name) => !/^(?:@uwsjs|@lmdb|@msgpackr-extract)\//.test(name))
  expect(native).toEqual([
    '@assemblyscript/loader',
    '@bufbuild/protobuf',
    '@harperfast/extended-iterable',
    '@noble/curves',
    '@noble/hashes',
    '@pinojs/redact',
    'atomic-sleep',
    'commander',
    'detect-libc',
    'lmdb',
    'msgpackr',
    'msgpackr-extract',
    'node-gyp-build-optional-packages',
    'on-exit-leak-free',
    'ordered-binary',
    'pino',
    'pino-std-serializers',
    'quick-format-unescaped',
    'safe-stable-stringify',
    'smol-toml',
    'sonic-boom',
    'thread-stream',
    'uWebSockets.js',
    'weak-lru-cache',
  ])
  expect(folders).toEqual([
    'api/rpc',
    'api/server',
    'api/trace-pool',
    'api/transaction-index',
    'base',
    'base/config',
    'base/log',
    'base/metrics',
    'base/process',
    'base/worker',
    'chain/consensus',
    'chain/dev',
    'chain/snapshot',
    'cli',
    'evm/chain-types',
    'evm/engine',
    'evm/execute',
    'evm/modules',
    'evm/state',
    'evm/trace',
    'node',
    'storage/commit',
    'storage/store',
    'storage/table',
  ])
})
