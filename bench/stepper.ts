import { parseArgs } from 'node:util'
import { bigintToBytes } from '../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../host/base/hex.ts'
import { openRunStepper } from '../host/explorer/browser/step/run-stepper.ts'
import { assemble } from '../test/support/engine/bytecode.ts'
import { CONTRACT, engineInBlock, stateWith } from '../test/support/engine/engine-fixture.ts'
import { makeRandom } from '../test/support/random.ts'
import { call, recordedBundle } from '../test/support/trace/recorded-bundle.ts'
import type { ContractCase } from './evm-peer.ts'
import { median, quantile } from './statistics.ts'
import { traceCases } from './trace-cases.ts'

const GAS = 2_000_000_000n
const SEEKS = 200
const SEED = 1

type Program = readonly (string | number)[]

/** Extra work of a loop iteration besides counting. */
const BODIES: readonly (readonly [name: string, body: Program])[] = [
  ['arithmetic', ['DUP1', 'DUP1', 'MUL', 3, 'ADD', 'POP']],
  // A megabyte of memory; each iteration writes another word
  ['memory', ['DUP1', 5, 'SHL', 0xfffe0, 'AND', 'DUP1', 'MLOAD', 1, 'ADD', 'SWAP1', 'MSTORE']],
  ['storage', ['DUP1', 'DUP1', 0xff, 'AND', 'SSTORE']],
  ['calls', [0, 0, 0, 0, 4, 'GAS', 'STATICCALL', 'POP']],
]

/** Returns a loop with about `steps` steps. */
function loopOf(name: string, body: Program, steps: number): ContractCase {
  const turns = Math.round(steps / (body.length + 9))
  const code = assemble(turns + (1 << 24), 'JUMPDEST', ...body, 1, 'SWAP1', 'SUB', 'DUP1')
  const end = assemble(0xffffff, 'AND', 5, 'JUMPI', 'STOP')
  const runtime = formatData(Buffer.concat([code, end]))
  const title = `${name}, ${steps / 1e6} M`
  return { name: title, runtime, storage: {}, calldata: '0x', gas: 0, out: '0x' }
}

function bundleOf({ runtime, storage, calldata }: ContractCase) {
  const state = stateWith(parseData(runtime))
  for (const [slot, value] of Object.entries(storage)) {
    const word = (text: string) => bigintToBytes(BigInt(text), 32)
    state.setStorage(CONTRACT, word(slot), word(value))
  }
  const transaction = call({ gas: GAS, data: parseData(calldata as Hex) })
  const env = { gasLimit: GAS, revision: 'Cancun', baseFee: 7n } as const
  return engineInBlock().then((engine) => recordedBundle(engine, state, [transaction], { env }))
}

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const start = performance.now()
  const result = await work()
  return [result, performance.now() - start]
}

const round = (milliseconds: number) => Number(milliseconds.toPrecision(3))

/** Returns the milliseconds of every question, and the memory growth in megabytes after indexing. */
async function measure(one: ContractCase): Promise<object> {
  const bundle = await bundleOf(one)
  const engine = await engineInBlock()
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  const [stepper, opened] = await timed(async () => {
    const opening = openRunStepper({ bundle, engine })
    await opening.summary()
    return opening
  })
  const [calls, toCalls] = await timed(() => stepper.calls())
  globalThis.gc?.()
  const megabytes = (process.memoryUsage.rss() - before) / 1e6
  const { steps } = await stepper.summary()
  const random = makeRandom(SEED)
  const seeks: number[] = []
  for (let i = 0; i < SEEKS; i++) {
    const index = Math.floor(random() * steps)
    seeks.push((await timed(() => stepper.step(index)))[1])
  }
  const backwards: number[] = []
  for (let i = 1; i <= Math.min(SEEKS, steps); i++) {
    backwards.push((await timed(() => stepper.step(steps - i)))[1])
  }
  const [, rows] = await timed(() => stepper.rows(steps >> 1, 100))
  const nowhere = [{ opcode: 'SELFDESTRUCT' }]
  const [, forward] = await timed(() => stepper.find(nowhere, 0, 'forward'))
  const [, back] = await timed(() => stepper.find(nowhere, steps - 1, 'back'))
  const [, gasByCode] = await timed(() => stepper.gasByCode())
  await stepper.close()
  return {
    ...{ case: one.name, steps, calls: calls.length },
    summary: round(opened),
    callsAfter: round(toCalls),
    seek: { median: round(median(seeks)), worst: round(quantile(seeks, 1)) },
    back: { median: round(median(backwards)), worst: round(quantile(backwards, 1)) },
    ...{ rows: round(rows), find: round(forward), findBack: round(back) },
    gasByCode: round(gasByCode),
    megabytes: Math.round(megabytes),
  }
}

/** Measures the stepper in Node, on the calling thread. */
export async function runStepperBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { case: { type: 'string' } } })
  const loops = BODIES.flatMap(([name, body]) => [
    loopOf(name, body, 1e6),
    ...(name === 'calls' ? [] : [loopOf(name, body, 1e7)]),
  ])
  for (const one of [...loops, ...traceCases()]) {
    if (values.case !== undefined && !one.name.includes(values.case)) continue
    console.log(JSON.stringify(await measure(one)))
  }
}
