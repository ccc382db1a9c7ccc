import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../../host/base/bytes.ts'
import type { StepRecord, TraceEvent } from '../../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  CONTRACT,
  engineInBlock,
  executed,
  SENDER,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { keepStep, type Step } from '../../../support/trace/kept-step.ts'

const WORD = 1n << 256n
const signed = (a: bigint) => BigInt.asIntN(256, a)

/** The yellow paper's definition of each arithmetic opcode, operands from the top of the stack down. */
const MEANINGS: Record<string, (a: bigint, b: bigint, c: bigint) => bigint> = {
  ADD: (a, b) => a + b,
  MUL: (a, b) => a * b,
  SUB: (a, b) => a - b,
  DIV: (a, b) => (b === 0n ? 0n : a / b),
  SDIV: (a, b) => (b === 0n ? 0n : signed(a) / signed(b)),
  MOD: (a, b) => (b === 0n ? 0n : a % b),
  SMOD: (a, b) => (b === 0n ? 0n : signed(a) % signed(b)),
  ADDMOD: (a, b, c) => (c === 0n ? 0n : (a + b) % c),
  MULMOD: (a, b, c) => (c === 0n ? 0n : (a * b) % c),
  LT: (a, b) => BigInt(a < b),
  GT: (a, b) => BigInt(a > b),
  SLT: (a, b) => BigInt(signed(a) < signed(b)),
  SGT: (a, b) => BigInt(signed(a) > signed(b)),
  EQ: (a, b) => BigInt(a === b),
  ISZERO: (a) => BigInt(a === 0n),
  AND: (a, b) => a & b,
  OR: (a, b) => a | b,
  XOR: (a, b) => a ^ b,
  NOT: (a) => ~a,
  BYTE: (a, b) => (a > 31n ? 0n : (b >> (248n - 8n * a)) & 0xffn),
  SHL: (a, b) => (a > 255n ? 0n : b << a),
  SHR: (a, b) => (a > 255n ? 0n : b >> a),
  SAR: (a, b) => (a > 255n ? signed(b) >> 255n : signed(b) >> a),
  SIGNEXTEND: (a, b) => (a > 30n ? b : BigInt.asIntN(Number(8n * a + 8n), b)),
  CLZ: (a) => BigInt(a === 0n ? 256 : 256 - a.toString(2).length),
}

/** Words of every size, and values around powers of two, which exercise carries. */
const word = fc.oneof(
  fc.bigInt({ min: 0n, max: WORD - 1n }),
  fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  fc
    .tuple(fc.integer({ min: 0, max: 256 }), fc.integer({ min: -2, max: 2 }))
    .map(([bits, offset]) => ((((1n << BigInt(bits)) + BigInt(offset)) % WORD) + WORD) % WORD),
)

describe('arithmetic', () => {
  test.each(Object.keys(MEANINGS))('defines %s as in the yellow paper', async (name) => {
    const engine = await engineInBlock()
    const meaning = MEANINGS[name] as (a: bigint, b: bigint, c: bigint) => bigint
    const code = assemble(
      ...[64, 'CALLDATALOAD', 32, 'CALLDATALOAD', 0, 'CALLDATALOAD', name],
      ...[0, 'MSTORE', 32, 0, 'RETURN'],
    )
    const state = stateWith(code)
    const compute = (a: bigint, b: bigint, c: bigint) => {
      const data = bigintToBytes((a << 512n) | (b << 256n) | c, 96)
      const run = engine.transact(transaction({ data }), { discard: true })
      return bytesToBigint(executed(answerFrom(run, state)).output)
    }
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(compute(a, b, c)).toBe(BigInt.asUintN(256, meaning(a, b, c)))
      }),
      { numRuns: 300 },
    )
  })

  test('defines EXP as a power modulo 2^256', async () => {
    const engine = await engineInBlock()
    const code = assemble(
      32,
      'CALLDATALOAD',
      0,
      'CALLDATALOAD',
      'EXP',
      0,
      'MSTORE',
      32,
      0,
      'RETURN',
    )
    const state = stateWith(code)
    fc.assert(
      fc.property(word, fc.bigInt({ min: 0n, max: 300n }), (base, exponent) => {
        const data = bigintToBytes((base << 256n) | exponent, 64)
        const run = engine.transact(transaction({ data }), { discard: true })
        const want = BigInt.asUintN(256, base ** exponent)
        expect(bytesToBigint(executed(answerFrom(run, state)).output)).toBe(want)
      }),
      { numRuns: 100 },
    )
  })
})

describe('calls', () => {
  test('nest to depth 1024 and no further (yellow paper, section 8)', async () => {
    // Count the frames in storage: each adds one, then calls itself with all its gas
    const code = assemble(
      ...[0, 'SLOAD', 1, 'ADD', 0, 'SSTORE'],
      ...[0, 0, 0, 0, 0, 'ADDRESS', 'GAS', 'CALL'],
    )
    const gas = 1n << 45n
    const engine = await engineInBlock({ revision: 'Prague', gasLimit: gas, baseFee: 0n })
    const state = stateWith(code)
    const run = engine.transact(transaction({ gas, maxFeePerGas: 0n }))
    expect(executed(answerFrom(run, state)).success).toBe(true)
    expect(bytesToBigint(engine.diff().storage.subarray(52, 84))).toBe(1025n)
  })

  test('undo the effects of a callee that reverts', async () => {
    const callee = address(0x3333)
    const state = stateWith(
      assemble(
        ...[0, 0, 0, 0, 3, bytesToBigint(callee), 100_000, 'CALL', 1, 'SSTORE'],
        ...['RETURNDATASIZE', 2, 'SSTORE'],
      ),
    )
    const failing = assemble(9, 9, 'SSTORE', 0, 0, 'LOG0', 5, 0, 'REVERT')
    state.setAccount(callee, 1n, 0n, failing)
    const engine = await engineInBlock()
    const outcome = executed(answerFrom(engine.transact(transaction()), state))
    expect(outcome.logs).toEqual([])
    state.apply(engine.diff())
    expect(state.storage(callee, bigintToBytes(9n, 32))).toBeUndefined()
    expect(state.storage(CONTRACT, bigintToBytes(1n, 32))).toBeUndefined()
    expect(state.storage(CONTRACT, bigintToBytes(2n, 32))).toEqual(bigintToBytes(5n, 32))
  })
})

test('a log record is padded with zeros, even in a buffer that was used before', async () => {
  const [loud, quiet] = [address(0x4444), address(0x5555)]
  const state = stateWith(new Uint8Array(0))
  state.setAccount(loud, 1n, 0n, assemble(0, 'NOT', 0, 'MSTORE', ...[32, 0, 'LOG0', 32, 0, 'LOG0']))
  state.setAccount(quiet, 1n, 0n, assemble(0, 0, 'LOG0', 0, 'NOT', 0, 'MSTORE', 3, 0, 'LOG0'))
  const engine = await engineInBlock()
  const records = (nonce: bigint, to: Uint8Array) =>
    executed(answerFrom(engine.transact(transaction({ nonce, to })), state))
      .logRecords as Uint8Array
  const emitter = [...quiet, 0, 0, 0, 0]
  records(0n, loud)
  expect([...records(1n, quiet)]).toEqual([
    ...[...emitter, 3, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0],
    ...[...emitter, 0, 0, 0, 0, 0, 0, 0, 0],
  ])
})

describe('traces of a message', () => {
  const callee = address(0x3333)
  const code = assemble(
    ...[0x1234, 0, 'MSTORE', 0, 0, 2, 30, 1, bytesToBigint(callee), 60_000, 'CALL', 'POP'],
    ...[0, 0, 0, 0, 100, bytesToBigint(callee), 60_000, 'CALL', 'POP'],
    ...[0, 0, 4, 0, 4, 50_000, 'STATICCALL', 'POP', 7, 0, 0, 'LOG1', 1, 0, 'RETURN'],
  )

  async function trace(isStepping: boolean, ignoresLogs = false) {
    const events: TraceEvent[] = []
    const steps: Step[] = []
    const state = stateWith(code)
    state.setAccount(callee, 1n, 0n, assemble(0, 0, 'REVERT'))
    const engine = await engineInBlock()
    const sink = {
      ...(isStepping ? { steps: { stack: true, memory: false } } : {}),
      ignoresLogs,
      onEvent: (event: TraceEvent) => void events.push(event),
      onStep: (step: StepRecord) => void steps.push(keepStep(step)),
    }
    const outcome = executed(answerFrom(engine.transact(transaction(), { trace: sink }), state))
    return { events, steps, outcome, diff: engine.diff() }
  }

  test('show each frame, including failed attempts and precompiles, as geth does', async () => {
    const { events, outcome } = await trace(false)
    const empty = new Uint8Array(0)
    expect(events).toEqual([
      {
        kind: 'enter',
        type: 'CALL',
        depth: 0,
        from: SENDER,
        to: CONTRACT,
        input: empty,
        gas: 10_000_000n - 21_000n,
        value: 0n,
      },
      {
        kind: 'enter',
        type: 'CALL',
        depth: 1,
        from: CONTRACT,
        to: callee,
        input: new Uint8Array([0x12, 0x34]),
        // Includes the stipend
        gas: 62_300n,
        value: 1n,
      },
      {
        kind: 'exit',
        depth: 1,
        gasUsed: 6n,
        output: empty,
        error: 'execution reverted',
        reverted: true,
      },
      {
        kind: 'enter',
        type: 'CALL',
        depth: 1,
        from: CONTRACT,
        to: callee,
        input: empty,
        gas: 62_300n,
        value: 100n,
      },
      {
        kind: 'exit',
        depth: 1,
        gasUsed: 0n,
        output: empty,
        error: 'insufficient balance for transfer',
        reverted: false,
      },
      {
        kind: 'enter',
        type: 'STATICCALL',
        depth: 1,
        from: CONTRACT,
        to: address(4),
        input: new Uint8Array(4),
        gas: 50_000n,
        value: undefined,
      },
      {
        kind: 'exit',
        depth: 1,
        gasUsed: 18n,
        output: new Uint8Array(4),
        error: undefined,
        reverted: false,
      },
      { kind: 'log', address: CONTRACT, topics: [bigintToBytes(7n, 32)], data: empty },
      {
        kind: 'exit',
        depth: 0,
        gasUsed: outcome.gasUsed - 21_000n,
        output: new Uint8Array(1),
        error: undefined,
        reverted: false,
      },
    ])
  })

  test.each([false, true])('omit logs that are not requested, steps: %s', async (isStepping) => {
    const all = await trace(isStepping)
    const some = await trace(isStepping, true)
    expect(some.events).toEqual(all.events.filter(({ kind }) => kind !== 'log'))
    expect(some.events).toHaveLength(all.events.length - 1)
    expect([some.outcome, some.steps]).toEqual([all.outcome, all.steps])
  })

  test('with steps have the same outcome, diff and frames, and their costs add up', async () => {
    const plain = await trace(false)
    const traced = await trace(true)
    expect(traced.outcome).toEqual(plain.outcome)
    expect(traced.diff).toEqual(plain.diff)
    expect(traced.events).toEqual(plain.events)
    const { steps } = traced
    expect(steps.slice(0, 3)).toEqual([
      expect.objectContaining({ opcode: 0x61, pc: 0, gas: 9_979_000, cost: 3, stack: [] }),
      expect.objectContaining({ opcode: 0x60, pc: 3, gas: 9_978_997, stack: [0x1234n] }),
      // MSTORE expands the memory by one word
      expect.objectContaining({ opcode: 0x52, pc: 5, cost: 6, depth: 1, memorySize: 0 }),
    ])
    const root = steps.filter((step) => step.depth === 1)
    for (const [i, step] of root.entries()) {
      const next = root[i + 1]
      const isCall = step.opcode === 0xf1 || step.opcode === 0xfa
      if (next !== undefined && !isCall) expect(step.gas - step.cost).toBe(next.gas)
    }
  })

  test('contain payloads larger than the trace buffer', async () => {
    const size = 3 << 20
    const engine = await engineInBlock({ revision: 'Cancun' })
    const state = stateWith(
      assemble(
        ...[
          0xff,
          size - 1,
          'MSTORE8',
          0,
          0,
          size,
          0,
          bytesToBigint(callee),
          1_000_000,
          'STATICCALL',
        ],
        ...[size, 0, 'RETURN'],
      ),
    )
    const events: TraceEvent[] = []
    const run = engine.transact(transaction({ gas: 50_000_000n }), {
      trace: { onEvent: (event) => void events.push(event) },
    })
    const outcome = executed(answerFrom(run, state))
    expect(outcome.output).toHaveLength(size)
    const sizes = events.map((event) =>
      event.kind === 'enter' ? event.input.length : event.kind === 'exit' ? event.output.length : 0,
    )
    expect(sizes).toEqual([0, size, 0, size])
    const call = events[1]
    expect(call?.kind === 'enter' && call.input[size - 1]).toBe(0xff)
  })
})

describe('the accessed list', () => {
  test('contains every touched account and slot, including those of failed frames', async () => {
    const callee = address(0x3333)
    const state = stateWith(
      assemble(1, 'SLOAD', 0, 0, 0, 0, 0, bytesToBigint(callee), 90_000, 'CALL'),
    )
    state.setAccount(callee, 1n, 0n, assemble(2, 'SLOAD', 'INVALID'))
    const engine = await engineInBlock()
    const run = engine.transact(transaction(), { recordAccess: true })
    const entries = executed(answerFrom(run, state)).accessed
    const find = (who: Uint8Array) =>
      entries.find((entry) => bytesToBigint(entry.address) === bytesToBigint(who))?.storageKeys
    expect(find(CONTRACT)).toEqual([bigintToBytes(1n, 32)])
    expect(find(callee)).toEqual([bigintToBytes(2n, 32)])
  })
})
