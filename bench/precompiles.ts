import { parseArgs } from 'node:util'
import Benchmark from 'benchmark'
import { formatData } from '../host/base/hex.ts'
import { median } from './statistics.ts'
import { openBlake2fSuite } from './suite/blake2f.ts'
import { openBls12381Suite } from './suite/bls12-381.ts'
import { openBn254Suite } from './suite/bn254.ts'
import { openEcrecoverSuite } from './suite/ecrecover.ts'
import { openHashSuite } from './suite/hash.ts'
import { openModexpSuite } from './suite/modexp.ts'
import { openP256Suite } from './suite/p256.ts'
import type { Contender, PrecompileCase, PrecompileSuite } from './suite/suite.ts'

/** ecrecover needs the peers under bench/peers. */
const SUITES: Readonly<Record<string, PrecompileSuite>> = {
  ecrecover: openEcrecoverSuite,
  bn254: openBn254Suite,
  'bls12-381': openBls12381Suite,
  modexp: openModexpSuite,
  hash: openHashSuite,
  blake2f: openBlake2fSuite,
  p256: openP256Suite,
}

const ROUNDS = 15
/** Seconds for which a contender runs before its first round, so that its code is compiled. */
const WARM_UP_S = 0.5
/** Minimum seconds of a sample. */
const SAMPLE_S = 0.008

/**
 * Runs every precompile next to its peers, alternating on the same input, and prints a line for each. `us` and
 * `mgas_per_s` are medians; `ratio` is the time relative to Lockstep. The arguments select suites; without arguments
 * all run.
 */
export async function runPrecompileBench(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { filter: { type: 'string' } },
  })
  const names = positionals.length === 0 ? Object.keys(SUITES) : positionals
  for (const name of names) {
    const open = SUITES[name]
    if (open === undefined) throw new Error(`no suite ${name}: ${Object.keys(SUITES).join(', ')}`)
    for (const row of await open()) {
      const name = `${row.precompile} ${row.input}`
      if (values.filter !== undefined && !name.includes(values.filter)) continue
      report(row, measure(row))
    }
  }
}

/**
 * Returns median microseconds per call, one for each contender. benchmark.js would take all samples of one contender
 * before the next, so it is asked for one at a time.
 */
function measure(row: PrecompileCase): number[] {
  const results = row.contenders.map((): Uint8Array | undefined => undefined)
  const clocks = row.contenders.map(
    (contender, index) =>
      new Benchmark(
        () => {
          results[index] = contender.run()
        },
        { minTime: SAMPLE_S, maxTime: 0, minSamples: 1 },
      ),
  )
  for (const clock of clocks) takeSamples(clock.clone({ maxTime: WARM_UP_S }))
  const times = row.contenders.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, clock] of clocks.entries()) times[index]?.push(...takeSamples(clock))
    compareOutputs(row, results)
  }
  return times.map(median)
}

/** Returns the microseconds per call of each sample. */
function takeSamples(clock: Benchmark): number[] {
  clock.run()
  if (clock.error !== undefined) throw clock.error
  return clock.stats.sample.map((seconds: number) => seconds * 1e6)
}

function compareOutputs(row: PrecompileCase, results: readonly (Uint8Array | undefined)[]): void {
  const outputs = row.contenders.map(({ toOutput }, index) => {
    const result = results[index]
    const output = toOutput === undefined ? result : toOutput(result)
    return output === undefined ? 'failure' : formatData(output)
  })
  const [own] = outputs
  outputs.forEach((output, index) => {
    if (output === own) return
    const { engine } = row.contenders[index] as Contender
    throw new Error(`${row.precompile} ${row.input}: ${engine} gives ${output}, not ${own}`)
  })
}

function report({ precompile, input, gas, contenders }: PrecompileCase, times: number[]): void {
  const own = times[0] as number
  contenders.forEach(({ engine }, index) => {
    const us = times[index] as number
    const line = {
      bench: 'precompiles',
      precompile,
      input,
      engine,
      us: round(us),
      mgas_per_s: round(gas / us),
      ratio: round(us / own),
    }
    console.log(JSON.stringify(line))
  })
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
