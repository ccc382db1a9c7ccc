import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readModule } from '../host/node/wasm.ts'
import { CONTRACT, SENDER } from '../test/support/engine/engine-fixture.ts'
import { startEthereumjs } from './ethereumjs.ts'
import type { ContractCase, Peer } from './evm-peer.ts'
import { startAnvilPeer, startEngine } from './evms.ts'
import { startRevm } from './revm.ts'
import { median } from './statistics.ts'
import { vectorsFolder } from './vectors.ts'

/** A case runs on an EVM until it has run this often, or for this long. */
const ROUNDS = 21
const BUDGET_MS = 2_000
/** A sample has as many calls as fit in this time. */
const SAMPLE_MS = 1

/**
 * evmone 0.15 baseline, built natively, relative to anvil's eth_call by milliseconds, recorded in one run on one
 * machine. npm does not offer evmone, so it is compared through anvil.
 */
const EVMONE_TO_ANVIL: Readonly<Record<string, number>> = {
  'erc20-transfer': 5.6 / 8.83,
  'erc20-mint': 2.91 / 5.33,
  'ten-thousand-hashes': 1.09 / 2.8,
  snailtracer: 26.09 / 50.84,
  'main/blake2b_shifts': 4.94 / 10.19,
  'main/sha1_divs#1': 3.1 / 5.06,
  'main/sha1_shifts#1': 1.41 / 3.21,
  'micro/loop_with_many_jumpdests': 2.49 / 15.57,
  loop1M: 8.1 / 23.66,
  mix1M: 18.8 / 38.08,
}

function round(value: number, digits = 3): number {
  return Number(value.toPrecision(digits))
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

/**
 * Returns the milliseconds of a call. Short calls repeat for a millisecond: a single call of 20 microseconds mostly
 * refills the caches after another EVM's run.
 */
async function timeCall(row: ContractCase, peer: Peer): Promise<number> {
  if (peer.timeCall !== undefined) {
    const { ms, out } = await peer.timeCall(row, SAMPLE_MS)
    if (out !== row.out) throw new Error(`${row.name}: ${peer.name} gives ${out}`)
    return ms
  }
  const start = performance.now()
  let elapsed = 0
  let calls = 0
  while (elapsed < SAMPLE_MS) {
    const output = await peer.call(row)
    if (output !== row.out) throw new Error(`${row.name}: ${peer.name} gives ${output}`)
    calls++
    elapsed = performance.now() - start
  }
  return elapsed / calls
}

/** Returns the milliseconds of a case's runs on each EVM, which are interleaved. */
async function measureCase(row: ContractCase, peers: readonly Peer[]): Promise<number[][]> {
  const times = peers.map((): number[] => [])
  const spent = peers.map(() => 0)
  for (const peer of peers) await peer.load(row)
  for (let i = 0; i <= ROUNDS; i++) {
    for (const [index, peer] of peers.entries()) {
      if ((spent[index] as number) > BUDGET_MS) continue
      const elapsed = await timeCall(row, peer)
      spent[index] = (spent[index] as number) + Math.max(elapsed, SAMPLE_MS)
      // The first run reads state and compiles, so it counts only if it is the only one
      const taken = times[index] as number[]
      if (i === 1) taken.length = 0
      taken.push(elapsed)
    }
  }
  return times
}

const OURSELVES = 'lockstep'
const COMPILED = 'lockstep-compiled'

interface Measured {
  readonly name: string
  readonly ms: Readonly<Record<string, number>>
  readonly least: Readonly<Record<string, number>>
}

/** Summarizes the least milliseconds: of compiled code over interpreted code, and of both over revm. */
function compareBuilds(results: readonly Measured[], peers: readonly Peer[]): object[] {
  const names = peers.map(({ name }) => name)
  const pairs = [COMPILED, OURSELVES].flatMap((one) =>
    [OURSELVES, 'revm'].filter((other) => other !== one).map((other) => [one, other] as const),
  )
  return pairs.flatMap(([one, other]) => {
    if (!names.includes(one) || !names.includes(other)) return []
    const ratios = results.map(({ name, least }) => {
      return { case: name, of: (least[one] as number) / (least[other] as number) }
    })
    const worst = ratios.reduce((a, b) => (a.of > b.of ? a : b))
    const mean = round(geometricMean(ratios.map((ratio) => ratio.of)))
    const summary = `${one} over ${other}, by the least times`
    return [
      { bench: 'engine', summary, geometric_mean: mean, worst: round(worst.of), case: worst.case },
    ]
  })
}

/** Summarizes a run as ratios of milliseconds: below 1, Lockstep is faster. */
function summarize(results: readonly Measured[]): object {
  const ratio = (ms: Measured['ms'], peer: string) =>
    (ms[OURSELVES] as number) / (ms[peer] as number)
  const against = (peer: string) => {
    const ratios = results.map(({ name, ms }) => ({ case: name, of: ratio(ms, peer) }))
    const worst = ratios.reduce((a, b) => (a.of > b.of ? a : b))
    const mean = geometricMean(ratios.map((one) => one.of))
    return { geometric_mean: round(mean), worst: round(worst.of), worst_case: worst.case }
  }
  const recorded = results.filter(({ name }) => EVMONE_TO_ANVIL[name] !== undefined)
  const toEvmone = recorded.map(
    ({ name, ms }) => ratio(ms, 'anvil') / (EVMONE_TO_ANVIL[name] as number),
  )
  return {
    bench: 'engine',
    summary: 'lockstep over peer, by time',
    cases: results.length,
    anvil: against('anvil'),
    ethereumjs: against('ethereumjs'),
    evmone_recorded: { geometric_mean: round(geometricMean(toEvmone)), cases: toEvmone.length },
  }
}

/**
 * Runs contracts on the engine and, with `--peers`, on anvil and `@ethereumjs/evm` with the same code, input and
 * expected output. `--compiled` adds the engine with hot code compiled, and `--revm` adds revm; `--module` measures another build of the engine.
 */
export async function runEngineBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      cases: { type: 'string' },
      module: { type: 'string' },
      peers: { type: 'boolean', default: false },
      compiled: { type: 'boolean', default: false },
      revm: { type: 'boolean', default: false },
      filter: { type: 'string', default: '' },
    },
  })
  const path = values.cases ?? join(vectorsFolder(), 'bench', 'cases.json')
  const cases = JSON.parse(readFileSync(path, 'utf8')) as ContractCase[]
  const bytes =
    values.module === undefined ? await readModule('engine') : readFileSync(values.module)
  const peers = [await startEngine(Uint8Array.from(bytes))]
  if (values.compiled) {
    const compiler = new WebAssembly.Module(await readModule('compile'))
    peers.push(await startEngine(Uint8Array.from(bytes), compiler))
  }
  try {
    if (values.peers) peers.push(await startAnvilPeer(), await startEthereumjs(SENDER, CONTRACT))
    if (values.revm) {
      const revm = await startRevm()
      if (typeof revm === 'string') console.error(`without revm: ${revm}`)
      else peers.push(revm)
    }
    const results: Measured[] = []
    for (const row of cases.filter(({ name }) => name.includes(values.filter))) {
      const times = await measureCase(row, peers)
      const medians = times.map(median)
      for (const [index, peer] of peers.entries()) {
        const ms = medians[index] as number
        console.log(
          JSON.stringify({
            bench: 'engine',
            engine: peer.name,
            case: row.name,
            gas: row.gas,
            ms: round(ms, 4),
            least_ms: round(Math.min(...(times[index] as number[])), 4),
            mgas_per_s: round(row.gas / ms / 1000),
            ok: true,
          }),
        )
      }
      const ms = Object.fromEntries(peers.map((peer, i) => [peer.name, medians[i] as number]))
      const least = Object.fromEntries(
        peers.map((peer, i) => [peer.name, Math.min(...(times[i] as number[]))]),
      )
      results.push({ name: row.name, ms, least })
    }
    if (results.length > 0) {
      for (const line of compareBuilds(results, peers)) console.log(JSON.stringify(line))
    }
    if (values.peers && results.length > 0) console.log(JSON.stringify(summarize(results)))
  } finally {
    for (const peer of peers) await peer.stop()
  }
}
