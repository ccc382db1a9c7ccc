import { parseArgs } from 'node:util'
import { formatData } from '../host/base/hex.ts'
import { openBls12381Suite } from './bls12-381-suite.ts'
import { openBn254Suite } from './bn254-suite.ts'
import { openEcrecoverSuite } from './ecrecover-suite.ts'
import type { Contender, PrecompileCase, PrecompileSuite } from './precompile-suite.ts'
import { median } from './statistics.ts'

/** ecrecover needs the peers under bench/peers. */
const SUITES: Readonly<Record<string, PrecompileSuite>> = {
  ecrecover: openEcrecoverSuite,
  bn254: openBn254Suite,
  'bls12-381': openBls12381Suite,
}

const ROUNDS = 15
/** What a contender calls before its first round, for the compilers to be done with it. */
const WARM_UP_MS = 1_000
/** How long a round of one contender takes at least. */
const ROUND_MS = 8

/**
 * Runs every precompile beside its peers, in turn on the same input, and prints a line for each:
 * `us` and `mgas_per_s` are medians, `ratio` is how many times as long as Lockstep it takes. The
 * arguments name suites; none means all of them.
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
      if (values.filter !== undefined && !row.precompile.includes(values.filter)) continue
      report(row, measure(row))
    }
  }
}

/** Median microseconds a call, one for each contender. */
function measure(row: PrecompileCase): number[] {
  const calls = row.contenders.map((contender) => {
    let count = 0
    const end = performance.now() + WARM_UP_MS
    do {
      contender.run()
      count++
    } while (performance.now() < end)
    return Math.max(1, Math.ceil((count * ROUND_MS) / WARM_UP_MS))
  })
  const times = row.contenders.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    const outputs = row.contenders.map((contender, index) => {
      const [us, output] = time(contender, calls[index] as number)
      times[index]?.push(us)
      return output
    })
    const [own] = outputs
    outputs.forEach((output, index) => {
      if (output === own) return
      const { engine } = row.contenders[index] as Contender
      throw new Error(`${row.precompile} ${row.input}: ${engine} gives ${output}, not ${own}`)
    })
  }
  return times.map(median)
}

/** Microseconds a call, and what the last one gave. */
function time(contender: Contender, calls: number): [number, string] {
  let result: Uint8Array | undefined
  const start = performance.now()
  for (let i = 0; i < calls; i++) result = contender.run()
  const us = ((performance.now() - start) * 1000) / calls
  const output = contender.toOutput === undefined ? result : contender.toOutput(result)
  return [us, output === undefined ? 'failure' : formatData(output)]
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
