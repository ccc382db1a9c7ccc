import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readModule } from '../../host/node/wasm.ts'
import { wrapEngine, writeComponent } from '../../tools/component.ts'
import { BENCH_CASES, type BlockJob, benchJob } from '../support/engine/bench-cases.ts'
import { assemble } from '../support/engine/bytecode.ts'
import { BLOCK, stateWith, transaction } from '../support/engine/engine-fixture.ts'
import { type RuntimeResult, runtimeJob } from '../support/engine/runtime-job.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'languages-'))
const component = join(folder, 'engine.component.wasm')
beforeAll(async () => {
  await writeComponent(folder, await wrapEngine(await readModule('engine')))
})
afterAll(() => rmSync(folder, { recursive: true }))

const python = process.env.LOCKSTEP_PYTHON ?? 'python3'
const hasPython = spawnSync(python, ['-c', 'from wasmtime.component import Component']).status === 0
const cargo = process.env.LOCKSTEP_CARGO

function call(code: Uint8Array, revision: 'Prague' = 'Prague'): BlockJob {
  return {
    env: { ...BLOCK, revision },
    inputs: [transaction()],
    openState: () => stateWith(code),
  }
}

/** Reads, writes, logs, makes a contract, and returns a hash of what it made. */
const RETURN_ONE_BYTE = 0x60015ff3
const BUSY = assemble(
  ...[0x2222, 0x1111, 40, 3, 'LOG2', 0, 0, 'LOG0', 5, 'SLOAD', 'POP', 7, 9, 'SSTORE'],
  ...[RETURN_ONE_BYTE, 0, 'MSTORE', 4, 28, 0, 'CREATE', 0, 'MSTORE'],
  ...[32, 0, 'KECCAK256', 32, 'MSTORE', 64, 0, 'RETURN'],
)

const JOBS: Readonly<Record<string, () => BlockJob>> = {
  'a call that does a bit of all': () => call(BUSY),
  'a call that reverts': () => call(assemble(7, 0, 'MSTORE', 32, 0, 'REVERT')),
  'a call that runs out of gas': () => call(assemble('JUMPDEST', 0, 'JUMP')),
  ...Object.fromEntries(
    BENCH_CASES.slice(0, 4).map((row) => [`the bench case ${row.name}`, () => benchJob(row)]),
  ),
}

/** Runs each job and compares what is printed with the core module's run in Node. */
function testJobs(run: (input: string) => string): void {
  test.each(Object.keys(JOBS))('%s', async (name) => {
    const { job, success, expected } = await runtimeJob((JOBS[name] as () => BlockJob)())
    const { error, ...result } = JSON.parse(run(JSON.stringify(job))) as RuntimeResult
    expect(result).toEqual(expected)
    expect(error === 0).toBe(success)
  })
}

/** What a program prints, which must end well. */
function outputOf(command: string, args: readonly string[], input: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return stdout
}

describe.skipIf(!hasPython)(
  `the component driven from Python${hasPython ? '' : `: ${python} has no package wasmtime (LOCKSTEP_PYTHON)`}`,
  () => {
    testJobs((input) => outputOf(python, [path('python/engine.py'), component], input))
  },
)

describe.skipIf(cargo === undefined)(
  `the component driven from Rust${cargo === undefined ? ': LOCKSTEP_CARGO names no cargo' : ''}`,
  () => {
    // As deep as the original, whose path of engine.wit it has. Kept: a first build takes minutes.
    const copy = path('../../.cache/rust/engine')
    const program = join(copy, 'target/release/lockstep-runtime')
    beforeAll(() => {
      cpSync(path('rust'), copy, { recursive: true })
      const manifest = join(copy, 'Cargo.toml')
      outputOf(cargo ?? '', ['build', '--release', '--manifest-path', manifest], '')
    }, 1_200_000)
    testJobs((input) => outputOf(program, [component], input))
  },
)
