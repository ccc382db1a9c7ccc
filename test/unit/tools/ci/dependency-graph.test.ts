import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  distancesTo,
  pathsNamedIn,
  readDependencies,
  staleEdges,
} from '../../../../tools/ci/dependency-graph.ts'
import { peerFinders, wantedPeers } from '../../../../tools/ci/peers.ts'
import { relatedTests } from '../../../../tools/ci/related-tests.ts'
import { unknownStarts } from '../../../../tools/ci/started-files.ts'

function checkoutOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'checkout '))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), source)
  }
  return root
}

/** A node that a test starts by its path, and whose module is in the declared list. */
const FILES = {
  'package.json': '{}',
  'assembly/engine.ts': "import { add } from './u256/add'",
  'assembly/u256/add.ts': 'export const add = 1',
  'host/base/hex.ts': 'export const hex = 1',
  'host/node/wasm.ts': "import { hex } from '../base/hex.ts'",
  'host/cli/main.ts': "import '../node/wasm.ts'",
  'test/vitest.config.ts': '',
  'test/support/daemon.ts': "const MAIN = new URL('../../host/cli/main.ts', import.meta.url)",
  'test/hex.test.ts': "import { hex } from '../host/base/hex.ts'",
  'test/faults/kill.slow.test.ts': "import '../support/daemon.ts'",
  'test/unit/u256/add.slow.test.ts': "import '../../../host/node/wasm.ts'",
}
const DECLARED = [{ from: 'host/node/wasm.ts', to: ['assembly'], why: 'reads the module' }]

const isTest = (path: string) => path.endsWith('.test.ts')

test('a test is affected by its imports, by programs that it starts by path, and by the declared list', () => {
  const graph = readDependencies(checkoutOf(FILES), DECLARED)
  expect(relatedTests(graph, ['host/base/hex.ts'], isTest)).toEqual([
    'test/hex.test.ts',
    'test/unit/u256/add.slow.test.ts',
    'test/faults/kill.slow.test.ts',
  ])
  expect(relatedTests(graph, ['host/cli/main.ts'], isTest)).toEqual([
    'test/faults/kill.slow.test.ts',
  ])
  expect(relatedTests(graph, ['assembly/u256/add.ts'], isTest)).toEqual([
    'test/unit/u256/add.slow.test.ts',
    'test/faults/kill.slow.test.ts',
  ])
})

test('a test that shares words with a user of the changed file ranks above other tests', () => {
  const graph = readDependencies(
    checkoutOf({
      'assembly/engine.ts': "import './precompile/modexp'",
      'assembly/precompile/modexp.ts': "import '../natural/product'",
      'assembly/natural/product.ts': '',
      'host/wasm.ts': '',
      'test/unit/account.test.ts': "import '../../host/wasm.ts'",
      'test/unit/precompile/modexp.test.ts': "import '../../../host/wasm.ts'",
    }),
    [{ from: 'host/wasm.ts', to: ['assembly'], why: 'reads the module' }],
  )
  expect(relatedTests(graph, ['assembly/natural/product.ts'], isTest)).toEqual([
    'test/unit/precompile/modexp.test.ts',
    'test/unit/account.test.ts',
  ])
})

test('a changed test file ranks first, and a new one counts as changed', () => {
  const graph = readDependencies(checkoutOf(FILES), DECLARED)
  expect(relatedTests(graph, ['test/hex.test.ts'], isTest)).toEqual(['test/hex.test.ts'])
})

test('a deleted file, or the old name of a renamed one, affects the files that still import it', () => {
  const { 'host/base/hex.ts': _, ...rest } = FILES
  const graph = readDependencies(checkoutOf(rest), DECLARED)
  expect(relatedTests(graph, ['host/base/hex.ts'], isTest)).toContain('test/hex.test.ts')
  expect(relatedTests(graph, ['host/base/never.ts'], isTest)).toEqual([])
})

test('a path that is joined from words is found, and a single word is no path', () => {
  expect(pathsNamedIn("join(ROOT, 'tools', 'run.mjs')")).toContain('tools/run.mjs')
  expect(pathsNamedIn("start('host')")).toEqual([])
  const graph = readDependencies(
    checkoutOf({
      'tools/run.mjs': '',
      'test/run.test.ts': "spawn(join(ROOT, 'tools', 'run.mjs'))",
    }),
    [],
  )
  expect([...distancesTo(graph, ['tools/run.mjs'])]).toContainEqual(['test/run.test.ts', 4])
})

test('import cycles are handled, and a file counts by its shortest path', () => {
  const graph = readDependencies(
    checkoutOf({
      'host/a.ts': "import './b.ts'",
      'host/b.ts': "import './a.ts'\nimport './c.ts'",
      'host/c.ts': '',
      'test/a.test.ts': "import '../host/a.ts'\nimport '../host/c.ts'",
    }),
    [],
  )
  expect(distancesTo(graph, ['host/c.ts']).get('test/a.test.ts')).toBe(1)
})

test('a test ranks higher if it shares words with the changed file', () => {
  const graph = readDependencies(
    checkoutOf({
      'host/wallet/policy.ts': '',
      'host/payments/gate.ts': "import '../wallet/policy.ts'",
      'test/unit/payments/gate.test.ts': "import '../../../host/wallet/policy.ts'",
      'test/unit/wallet/policy.test.ts': "import '../../../host/payments/gate.ts'",
    }),
    [],
  )
  expect(relatedTests(graph, ['host/wallet/policy.ts'], isTest)).toEqual([
    'test/unit/wallet/policy.test.ts',
    'test/unit/payments/gate.test.ts',
  ])
})

test('a row that names a deleted file is a fault', () => {
  const root = checkoutOf({ 'host/node/wasm.ts': '' })
  expect(staleEdges(root, DECLARED)).toEqual([
    'tools/ci/declared-edges.ts: assembly does not exist: fix or delete the row',
  ])
})

test('a file that starts an unnamed program of ours is a fault, unless a row declares the program', () => {
  const START = "import { spawn } from 'node:child_process'\n"
  const root = checkoutOf({
    'test/unknown.ts': `${START}spawn(process.execPath, [program])`,
    'test/named.ts': `${START}spawn(process.execPath, ['host/main.ts'])`,
    'test/inline.ts': `${START}spawn(process.execPath, ['-e', program])`,
    'test/foreign.ts': `${START}spawn(geth, [])`,
  })
  const graph = readDependencies(root, [])
  expect(unknownStarts(root, graph, new Set())).toEqual(['test/unknown.ts'])
  expect(unknownStarts(root, graph, new Set(['test/unknown.ts']))).toEqual([])
})

test('a peer is required if a chosen test reaches the file that finds it', () => {
  const root = checkoutOf({
    'test/support/comet.ts': 'const COMETBFT = process.env.LOCKSTEP_COMETBFT',
    'test/support/python.ts': "const CLIENTS = process.env.LOCKSTEP_PYTHON_CLIENTS ?? 'python3'",
    'test/network.slow.test.ts': "import './support/comet.ts'",
    'test/clients.slow.test.ts': "import './support/python.ts'",
  })
  const graph = readDependencies(root, [])
  const finders = peerFinders(root, graph)
  expect(wantedPeers(graph, finders, ['test/network.slow.test.ts'])).toEqual(['cometbft'])
  expect(wantedPeers(graph, finders, ['test/clients.slow.test.ts'])).toEqual(['python-clients'])
  expect(wantedPeers(graph, finders, [])).toEqual([])
})
