import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readModule } from '../../host/node/wasm.ts'
import { wrapEngine, writeComponent } from '../../tools/component.ts'
import { type RuntimeResult, runtimeJob } from '../support/engine/runtime-job.ts'
import { RUNTIME_JOBS } from '../support/engine/runtime-jobs.ts'

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

/** Declares a test for each job that compares the program's output with a run of the core module in Node. */
function testJobs(run: (input: string) => string): void {
  test.each(RUNTIME_JOBS)('the runtime gives the expected results: $name', async ({ open }) => {
    const { job, success, expected } = await runtimeJob(open())
    const { error, ...result } = JSON.parse(run(JSON.stringify(job))) as RuntimeResult
    expect(result).toEqual(expected)
    expect(error === 0).toBe(success)
  })
}

/** Returns the output of a program, which must succeed. */
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
    // As deep as the original, for its relative path to engine.wit. Kept between runs: a first build takes minutes.
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
