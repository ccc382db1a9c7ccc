import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { bytesToBigint, concatBytes } from '../../../../host/base/bytes.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { loadEngine } from '../../../../host/evm/engine/engine.ts'
import type { TraceSink } from '../../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { readModule } from '../../../../host/node/wasm.ts'
import { type Dice, makeDice } from '../../../fuzz/dice.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

const GAS = 1n << 50n
const ENV = { ...BLOCK, gasLimit: GAS, revision: 'Cancun', baseFee: 0n } as const
const MIB = 1 << 20
const WINDOW = 512
/** The memory region is 90 MiB (assembly/layout.ts). Clearing a larger frame would only take longer. */
const ABOVE_REGION = 96 * MIB
/** About three calls per frame on three levels. With more, the engine would spend its time clearing memory. */
const STATEMENTS = 8
interface Callee {
  readonly address: Uint8Array
  readonly gas: bigint
}

/** A failed call takes its gas, so each level must afford losing the gas of all its calls. A memory costs 2^37. */
const CALLEES: readonly Callee[] = [
  { address: address(0x3333), gas: 1n << 46n },
  { address: address(0x4444), gas: 1n << 42n },
  { address: address(0x5555), gas: 1n << 38n },
]

/** Init code that returns one byte of its memory as code: 0x00. */
const INITCODE = 0x600160005260016000f3n

const engine = await loadEngine(await readModule('engine'))

interface Result {
  readonly output: string
  readonly logs: number
  readonly success: boolean
}

function run(codes: readonly Uint8Array[], trace?: TraceSink): Result {
  engine.beginBlock(ENV)
  const state = stateWith(codes[0] as Uint8Array)
  for (const [i, code] of codes.slice(1).entries()) {
    state.setAccount((CALLEES[i] as Callee).address, 1n, 0n, code)
  }
  const input = transaction({ gas: GAS, maxFeePerGas: 0n })
  const options = trace === undefined ? {} : { trace }
  const { output, logs, success } = executed(answerFrom(engine.transact(input, options), state))
  return { output: formatData(output), logs: logs.length, success }
}

/** Returns statements that read and write a window of memory from `base` on, and transient storage. */
function statements(dice: Dice, base: number, callee: Callee | undefined): Uint8Array {
  const at = (): number => base + dice.below(WINDOW - 64)
  const kinds: (() => Uint8Array)[] = [
    () => assemble(dice.below(2 ** 31), at(), 'MSTORE'),
    () => assemble(dice.below(256), at(), 'MSTORE8'),
    () => assemble(dice.below(64), at(), at(), 'MCOPY'),
    () => assemble(64, at(), 'KECCAK256', at(), 'MSTORE'),
    () => assemble(dice.below(64), 0, at(), 'CALLDATACOPY'),
    () => assemble(at(), 'MLOAD', dice.below(4), 'TSTORE'),
    () => assemble(dice.below(4), 'TLOAD', at(), 'MSTORE'),
    () => assemble(dice.below(64), at(), 'LOG0'),
    () => {
      const o = at()
      return assemble(INITCODE, o, 'MSTORE', 10, o + 22, 0, 'CREATE', o, 'MSTORE')
    },
  ]
  if (callee !== undefined) {
    const to = BigInt(formatData(callee.address))
    const { gas } = callee
    for (let i = 0; i < 3; i++) {
      kinds.push(() => assemble(64, at(), 64, at(), 0, to, gas, 'CALL', at(), 'MSTORE'))
    }
    kinds.push(() => assemble(64, at(), 64, at(), to, gas, 'STATICCALL', at(), 'MSTORE'))
    kinds.push(() => assemble(64, at(), 64, at(), to, gas, 'DELEGATECALL', at(), 'MSTORE'))
  }
  return concatBytes(Array.from({ length: STATEMENTS }, () => dice.pick(kinds)()))
}

function program(dice: Dice, base: number, callee: Callee | undefined): Uint8Array {
  const end = callee !== undefined || dice.below(4) > 0 ? 'RETURN' : 'REVERT'
  return concatBytes([statements(dice, base, callee), assemble(WINDOW, base, end)])
}

/** Returns contracts that work after their first `bases` bytes of memory and are otherwise the same. */
function chainOf(seed: number, bases: readonly number[]): Uint8Array[] {
  const dice = makeDice(seed)
  return bases.map((base, i) => program(dice, base, CALLEES[i]))
}

const SMALL = [64, 64, 64, 64]

test.each([
  ['of the first frame', [ABOVE_REGION, 64, 64, 64]],
  ['of callees, above parents that do not move', [64, ...CALLEES.map(() => 36 * MIB)]],
  ['of each frame', [ABOVE_REGION, ...CALLEES.map(() => ABOVE_REGION)]],
  ['of the last frame alone', [64, 64, 64, ABOVE_REGION]],
])('the memory %s may exceed its region with the same effects', (_, bases) => {
  let grown = 0
  for (let seed = 1; seed <= 4; seed++) {
    const small = run(chainOf(seed, SMALL))
    expect(engine.isUsable).toBe(true)
    expect(run(chainOf(seed, bases)), `seed ${seed}`).toEqual(small)
    if (!engine.isUsable) grown++
  }
  expect(grown).toBeGreaterThan(1)
})

test('traces show the correct content of memory that was moved', () => {
  const kept: string[][] = [[], []]
  for (const [i, bases] of [SMALL, [64, ...CALLEES.map(() => 36 * MIB)]].entries()) {
    const sink: TraceSink = {
      wantsState: false,
      steps: { stack: false, memory: true },
      onEvent: (event) =>
        kept[i]?.push(event.kind === 'exit' ? formatData(event.output) : event.kind),
      onStep: () => {},
      onMemory: (depth, offset, bytes) =>
        kept[i]?.push(`${depth} ${(offset % MIB) % 64} ${formatData(bytes)}`),
    }
    run(chainOf(3, bases), sink)
  }
  expect(kept[1]).toEqual(kept[0])
})

/** Collects garbage. @returns the resident bytes of the process */
function collectedBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  return process.memoryUsage().rss
}

test('grown memory is released when the next block begins', async () => {
  const code = assemble(0xbb, 700 * MIB, 'MSTORE', 32, 700 * MIB, 'RETURN')
  // Collect the garbage of earlier tests, which would distort the difference.
  const before = collectedBytes()
  expect(run([code]).output).toBe(`0x${'bb'.padStart(64, '0')}`)
  expect(engine.isUsable).toBe(false)
  // Less than 700 MiB, because the process may meanwhile release memory of threads that ended.
  expect(process.memoryUsage().rss - before).toBeGreaterThan(400 * MIB)
  engine.beginBlock(ENV)
  expect(engine.isUsable).toBe(true)
  // Poll: while the call's frame is on the stack, a collection still finds the memory.
  await expect.poll(() => collectedBytes() - before).toBeLessThan(100 * MIB)
})

test('a trace tracks return data while memory grows, and a creation leaves no return data (EIP-211)', () => {
  // Writes beyond the current memory, then returns one byte of code
  const initcode = assemble(1, 300 * MIB, 'MSTORE', 1, 0, 'RETURN')
  const code = assemble(
    ...[bytesToBigint(initcode), 0, 'MSTORE', initcode.length, 32 - initcode.length, 0],
    ...['CREATE', 'POP', 'STOP'],
  )
  const seen: string[] = []
  run([code], {
    // The creation has already been reported to the host when the memory grows
    steps: { stack: false, memory: false, each: true },
    onEvent: () => {},
    onStep: ({ pc, depth, returnData }) => {
      if (depth === 1) seen.push(`${pc} ${formatData(returnData)}`)
    },
  })
  expect(seen.slice(-2)).toEqual([`${code.length - 2} 0x`, `${code.length - 1} 0x`])
})
