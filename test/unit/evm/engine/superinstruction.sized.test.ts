import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concatBytes } from '../../../../host/base/bytes.ts'
import {
  JUMP,
  JUMPDEST,
  JUMPI,
  PUSH0,
  PUSH1,
  PUSH2,
  PUSH32,
} from '../../../../host/evm/engine/generated/opcode.ts'
import type { TraceEvent } from '../../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'
import { SUPERINSTRUCTIONS } from '../../../../tools/tables/superinstruction.ts'
import {
  BLOCK,
  engineInBlock,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { bySet } from '../../../support/run/by-set.ts'

const INTRINSIC = 21_000

/** The opcode sequences that the engine fuses. */
const SEQUENCES = SUPERINSTRUCTIONS.map(({ opcodes }) => opcodes.map(({ code }) => code))
/** Other opcodes: short and cheap ones, and some that fail or that no revision assigns. */
const OTHERS = [0x01, 0x03, 0x04, 0x0b, 0x15, 0x19, 0x1d, 0x35, 0x50, 0x51, 0x52, 0x53, 0x5a]
const RARE = [0x0c, 0x21, 0x4b, 0xa9, 0xc5, 0xfe, 0x00, JUMP, JUMPI, 0x20, 0x54]

interface Piece {
  readonly opcodes: readonly number[]
  /** Immediate bytes, used in a cycle. */
  readonly bytes: readonly number[]
  /** Replaces a PUSH2 of the sequence by a PUSH1. */
  readonly isNear: boolean
  readonly isLabelled: boolean
  /** Index of the label a jump goes to; some do not exist. */
  readonly label: number
}

const byte = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 1, 2, 31, 32, 64, 0xa0, 0xff) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
)
const piece: fc.Arbitrary<Piece> = fc.record({
  opcodes: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...SEQUENCES) },
    { weight: 3, arbitrary: fc.constantFrom(...OTHERS).map((opcode) => [opcode]) },
    { weight: 3, arbitrary: fc.integer({ min: 0x5f, max: 0x9f }).map((opcode) => [opcode]) },
    { weight: 1, arbitrary: fc.constantFrom(...RARE).map((opcode) => [opcode]) },
  ),
  bytes: fc.array(byte, { minLength: 4, maxLength: 4 }),
  isNear: fc.boolean(),
  isLabelled: fc.boolean(),
  label: fc.nat(11),
})

/** Returns the top three words of the stack. */
const OUTPUT = [PUSH0, 0x52, PUSH1, 32, 0x52, PUSH1, 64, 0x52, PUSH1, 96, PUSH0, 0xf3]

/** Links pieces to code that begins with `prefix`. A label is a JUMPDEST before its piece. */
function link(prefix: Uint8Array, pieces: readonly Piece[], tail = OUTPUT): Uint8Array {
  const labels: number[] = []
  const jumps: { at: number; width: number; label: number }[] = []
  const code: number[] = []
  for (const { opcodes, bytes, isNear, isLabelled, label } of pieces) {
    if (isLabelled) {
      labels.push(prefix.length + code.length)
      code.push(JUMPDEST)
    }
    let taken = 0
    for (const [index, opcode] of opcodes.entries()) {
      const next = opcodes[index + 1]
      const width = opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH0 : 0
      if (width > 0 && (next === JUMP || next === JUMPI)) {
        const near = opcode === PUSH1 || isNear
        code.push(near ? PUSH1 : PUSH2)
        jumps.push({ at: code.length, width: near ? 1 : 2, label })
        code.push(...(near ? [0] : [0, 0]))
        continue
      }
      code.push(opcode)
      for (let i = 0; i < width; i++) code.push(bytes[taken++ % bytes.length] as number)
    }
  }
  for (const { at, width, label } of jumps) {
    const target = labels[label] ?? label
    code[at + width - 1] = target & 0xff
    if (width === 2) code[at] = target >> 8
  }
  code.push(...tail)
  return concatBytes([prefix, new Uint8Array(code)])
}

/** Returns code that pushes `count` words: large, small and zero ones. */
function fill(count: number): Uint8Array {
  const words = [
    new Uint8Array([PUSH1, 1]),
    new Uint8Array([PUSH1, 64]),
    new Uint8Array([PUSH0]),
    concatBytes([new Uint8Array([PUSH32]), new Uint8Array(32).fill(0xff)]),
  ]
  return concatBytes(Array.from({ length: count }, (_, i) => words[i % 4] as Uint8Array))
}

/** Copies an event, because the engine's memory holds its data only until the next one. */
function copyEvent(event: TraceEvent): TraceEvent {
  const copy: Record<string, unknown> = { ...event }
  for (const [name, value] of Object.entries(copy)) {
    if (value instanceof Uint8Array) copy[name] = value.slice()
    else if (typeof value === 'object') copy[name] = structuredClone(value)
  }
  return copy as unknown as TraceEvent
}

describe('superinstructions', async () => {
  const block = { ...BLOCK, baseFee: 0n }
  const whole = await engineInBlock(block)
  const sliced = await engineInBlock(block, { fuel: 1 })

  /** Returns the outcome and frame events of the plain loop, of the traced loop, and of slices of one unit of fuel. */
  function runAll(state: StateView, gas: number): unknown[] {
    return [
      { engine: whole },
      { engine: whole, steps: { stack: false, memory: false } },
      { engine: sliced },
    ].map(({ engine, steps }) => {
      const events: TraceEvent[] = []
      let count = 0
      const onStep = () => {
        if (++count > 1_000_000) throw new Error('endless')
      }
      const onEvent = (event: TraceEvent) => void events.push(copyEvent(event))
      const trace = steps === undefined ? { onEvent } : { steps, onStep, onEvent }
      // In a new block, because within one block the engine caches the account's code
      engine.beginBlock(block)
      const input = transaction({ gas: BigInt(gas), maxFeePerGas: 0n })
      const run = engine.transact(input, { discard: true, trace })
      return { outcome: answerFrom(run, state), events }
    })
  }

  /** Compares the runs at `count` gas limits from `from` on. */
  function expectSame(code: Uint8Array, from: number, count = 1): void {
    // Discarded runs do not change the state.
    const state = stateWith(code)
    for (let gas = from; gas < from + count; gas++) {
      const [plain, traced, slices] = runAll(state, gas)
      if (!isDeepStrictEqual(traced, plain)) expect(traced, `gas ${gas}`).toEqual(plain)
      if (!isDeepStrictEqual(slices, plain)) expect(slices, `gas ${gas}`).toEqual(plain)
    }
  }

  test('give exact results at every gas limit', () => {
    const pieces = fc.array(piece, { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.nat(9), pieces, (height, list) => {
        const code = link(fill(height), list)
        expectSame(code, INTRINSIC, 90)
        expectSame(code, INTRINSIC + 3_000)
      }),
      { numRuns: bySet(60, 150) },
    )
  })

  test('give exact results if the stack is full', () => {
    const pieces = fc.array(piece, { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.integer({ min: 1019, max: 1024 }), pieces, (height, list) => {
        expectSame(link(fill(height), list), INTRINSIC + 6_000)
      }),
      { numRuns: bySet(100, 500) },
    )
  })

  // Each program ends with STOP, which needs neither gas nor stack: a wrong charge of the sequence shows
  describe.each(SEQUENCES.map((opcodes) => ({ opcodes })))(
    'the superinstruction $opcodes',
    ({ opcodes }) => {
      const bytes = [1, 1, 0xa0, 0]
      const programs = (height: number): Uint8Array[] =>
        [false, true].flatMap((isNear) => {
          const tested: Piece = { opcodes, bytes, isNear, isLabelled: false, label: 0 }
          const target: Piece = { opcodes: [], bytes, isNear, isLabelled: true, label: 0 }
          return [link(fill(height), [tested, target]), link(fill(height), [tested], [])]
        })

      test('gives exact results for every gas limit on every short stack', () => {
        for (let height = 0; height < 5; height++) {
          for (const code of programs(height)) expectSame(code, INTRINSIC, 40)
        }
      })

      test('gives exact results if the stack is full', () => {
        for (let height = 1020; height <= 1024; height++) {
          for (const code of programs(height)) expectSame(code, INTRINSIC + 6_000)
        }
      })
    },
  )
})
