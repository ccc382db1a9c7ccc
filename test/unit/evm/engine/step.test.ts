import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../../host/base/bytes.ts'
import { hexDigits } from '../../../../host/base/hex.ts'
import type { LiveState } from '../../../../host/evm/engine/live-state.ts'
import type { TraceSink } from '../../../../host/evm/engine/trace-event.ts'
import { decodeAccount } from '../../../../host/evm/state/account.ts'
import { answerFrom, answerFromAsync } from '../../../../host/evm/state/answer.ts'
import type { TestState } from '../../../support/chain/test-state.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  CONTRACT,
  engineInBlock,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { keepStep, type Step, traceState } from '../../../support/trace/kept-step.ts'

const CALLEE = address(0x3333)
const CALLEE_WORD = bytesToBigint(CALLEE)

function traceSteps(code: Uint8Array): Promise<readonly Step[]> {
  return traceState(stateWith(code))
}

describe('the cost that a step reports', () => {
  test.each([
    ['CREATE', 0xf0, 32_000 + 2 + 3, [32, 0, 0, 'CREATE']],
    ['CREATE2', 0xf5, 32_000 + 2 + 6 + 3, [0, 32, 0, 0, 'CREATE2']],
  ] as const)('excludes the gas that %s forwards', async (_name, opcode, cost, code) => {
    const steps = await traceSteps(assemble(...code))
    expect(steps.find((step) => step.opcode === opcode)?.cost).toBe(cost)
  })

  test.each(['RETURN', 'REVERT'])('includes the memory expansion of %s', async (name) => {
    const steps = await traceSteps(assemble(96, 32, name))
    expect(steps.at(-1)?.cost).toBe(12)
  })
})

describe('the recorded steps', () => {
  test.each([
    ['SSTORE', 'Osaka', 4_800],
    ['SELFDESTRUCT', 'Berlin', 24_000],
  ] as const)('report the refund of %s as geth does', async (name, revision, refund) => {
    const state = stateWith(assemble(0, 0, name))
    state.setStorage(CONTRACT, new Uint8Array(32), bigintToBytes(1n, 32))
    const steps = await traceState(state, {}, { revision })
    expect(steps.slice(0, 3).map((step) => step.refund)).toEqual([0, 0, refund])
  })

  test('are empty if the account has no code', async () => {
    expect(await traceSteps(new Uint8Array(0))).toEqual([])
  })

  test('end with the implicit STOP after the code', async () => {
    const steps = await traceSteps(assemble(1))
    expect(steps.map(({ pc, opcode }) => [pc, opcode])).toEqual([
      [0, 0x60],
      [2, 0x00],
    ])
  })

  test('have the whole stack before the opcode', async () => {
    const steps = await traceSteps(assemble(7, 2n ** 255n, 'DUP2', 'ADD', 'POP'))
    expect(steps.map((step) => step.stack)).toEqual([
      [],
      [7n],
      [7n, 2n ** 255n],
      [7n, 2n ** 255n, 7n],
      [7n, 2n ** 255n + 7n],
      [7n],
    ])
  })

  test('have stacks of 1024 words even if the trace buffer is drained many times', async () => {
    const pushes = Array.from({ length: 1024 }, () => 'PUSH0')
    const steps = await traceSteps(assemble(...pushes, 'PUSH0'))
    expect(steps.length).toBe(1025)
    for (const [i, step] of steps.entries()) expect(step.stack).toEqual(Array(i).fill(0n))
    expect(steps.at(-1)?.error).toBe('stack limit reached 1024 (1023)')
  })

  test('state the slot of SLOAD and SSTORE, with the value that is read or written', async () => {
    const state = stateWith(assemble(5, 'SLOAD', 9, 5, 'SSTORE', 5, 'SLOAD'))
    state.setStorage(CONTRACT, bigintToBytes(5n, 32), bigintToBytes(77n, 32))
    const slots = (await traceState(state)).flatMap(({ slot }) => (slot ? [slot] : []))
    expect(slots).toEqual([
      [5n, 77n],
      [5n, 9n],
      [5n, 9n],
    ])
  })

  test('have the return data of the last call of their frame', async () => {
    const call = [0, 0, 0, 0, CALLEE_WORD, 'GAS', 'STATICCALL']
    const state = stateWith(assemble(...call, 'POP', 0, 0, 0, 'CREATE'))
    state.setAccount(CALLEE, 1n, 0n, assemble(0xabcd, 0, 'MSTORE', 2, 30, 'RETURN'))
    const steps = await traceState(state)
    expect(steps.map((step) => hexDigits(step.returnData))).toEqual([
      ...Array(6 + 7).fill(''),
      ...Array(5).fill('abcd'),
      '',
    ])
  })
})

describe('the recorded memory writes', () => {
  async function traceWrites(code: Uint8Array, state = stateWith(code)) {
    const lines: string[] = []
    await traceState(state, {
      steps: { stack: false, memory: true },
      onStep: ({ depth, pc, memorySize }) => void lines.push(`${depth} pc ${pc}: ${memorySize}`),
      onMemory: (depth, offset, bytes) =>
        void lines.push(`${depth} [${offset}] ${hexDigits(bytes).replace(/^(00)+/, '..')}`),
    })
    return lines
  }

  test.each([
    ['MSTORE', [0xabcd, 1, 'MSTORE'], '1 [1] ..abcd'],
    ['MSTORE8', [0xabcd, 40, 'MSTORE8'], '1 [40] cd'],
    ['CODECOPY', [3, 1, 64, 'CODECOPY'], '1 [64] 036001'],
    ['EXTCODECOPY', [2, 0, 7, bytesToBigint(CONTRACT), 'EXTCODECOPY'], '1 [7] 6002'],
  ] as const)('show the bytes of %s', async (_name, code, write) => {
    const lines = await traceWrites(assemble(...code))
    expect(lines.at(-2)).toBe(write)
    expect(lines.filter((line) => line.includes('['))).toHaveLength(1)
  })

  test('show the result of MCOPY', async () => {
    const lines = await traceWrites(assemble(0xabcd, 0, 'MSTORE', 3, 30, 1, 'MCOPY'))
    expect(lines.at(-2)).toBe('1 [1] abcd00')
  })

  test('omit writes of zero bytes', async () => {
    const lines = await traceWrites(assemble(0, 0, 2n ** 200n, 'CODECOPY'))
    expect(lines).toEqual(['1 pc 0: 0', '1 pc 2: 0', '1 pc 4: 0', '1 pc 31: 0', '1 pc 32: 0'])
  })

  test('include the output of a call in the memory of its caller', async () => {
    const state = stateWith(assemble(2, 33, 0, 0, CALLEE_WORD, 'GAS', 'STATICCALL'))
    state.setAccount(CALLEE, 1n, 0n, assemble(0xabcdef, 0, 'MSTORE', 3, 29, 'RETURN'))
    const lines = await traceWrites(new Uint8Array(0), state)
    expect(lines.slice(-4)).toEqual(['2 pc 9: 32', '2 pc 11: 32', '1 [33] abcd', '1 pc 13: 64'])
  })

  test('include writes that exceed the trace buffer', async () => {
    const size = 1 << 20
    const copy = [size, 0, 0, 'CODECOPY']
    const sizes: number[] = []
    await traceState(stateWith(assemble(...copy, ...copy, ...copy)), {
      steps: { stack: false, memory: true },
      onStep: () => {},
      onMemory: (_depth, _offset, bytes) => void sizes.push(bytes.length),
    })
    expect(sizes).toEqual([size, size, size])
  })
})

describe('an engine that pauses at each step', () => {
  /** Collects what `look` returns at each step. */
  async function lookAt<Seen>(state: TestState, look: (live: LiveState, step: Step) => Seen) {
    const seen: Seen[] = []
    let live: LiveState | undefined
    await traceState(state, {
      steps: { stack: true, memory: false, each: true },
      onBegin(opened) {
        live = opened
      },
      onStep: (step) => void seen.push(look(live as LiveState, keepStep(step))),
    })
    return { seen, live: live as LiveState }
  }

  const slot = bigintToBytes(1n, 32)
  const numberOf = (bytes: Uint8Array | undefined) =>
    bytes === undefined ? undefined : bytesToBigint(bytes)

  test('records the same steps as an engine that does not pause', async () => {
    const code = assemble(1, 2, 'ADD', 0, 0, 0, 0, CALLEE_WORD, 'GAS', 'STATICCALL')
    const state = stateWith(code)
    state.setAccount(CALLEE, 1n, 0n, assemble(0, 0, 'REVERT'))
    const { seen } = await lookAt(state, (_live, step) => step)
    expect(seen).toEqual(await traceState(state))
  })

  test('shows a slot as it is before the step, and as unknown if it was not read', async () => {
    const state = stateWith(assemble(9, 1, 'SSTORE', 8, 1, 'SSTORE', 'STOP'))
    state.setStorage(CONTRACT, slot, bigintToBytes(77n, 32))
    const { seen, live } = await lookAt(state, (now) => numberOf(now.storage(CONTRACT, slot)))
    expect(seen).toEqual([undefined, undefined, 77n, 9n, 9n, 9n, 8n])
    expect(numberOf(live.storage(CONTRACT, slot))).toBe(8n)
    expect(live.storage(address(0x9999), slot)).toBeUndefined()
    expect(live.account(address(0x9999))).toBeUndefined()
  })

  test.each([
    ['reverts', [0, 0, 'REVERT'], 'execution reverted'],
    ['fails', ['INVALID'], 'invalid opcode: INVALID'],
  ] as const)('shows the changes of a frame until it %s', async (_name, end, error) => {
    const state = stateWith(assemble(9, 1, 'SSTORE', ...end))
    const { seen, live } = await lookAt(state, (now, step) => ({
      value: numberOf(now.storage(CONTRACT, slot)),
      error: step.error,
    }))
    expect(seen.at(-1)).toEqual({ value: 9n, error })
    expect(numberOf(live.storage(CONTRACT, slot))).toBe(0n)
  })

  test("shows the caller's balance before the value of the call is transferred", async () => {
    const state = stateWith(assemble(0, 0, 0, 0, 2, CALLEE_WORD, 0, 'CALL', 'STOP'))
    const { seen } = await lookAt(state, (now) => decodeAccount(now.account(CONTRACT)).balance)
    expect(seen.slice(-2)).toEqual([5n, 3n])
  })

  test('shows an account and its code once it is created', async () => {
    // Init code that returns one byte, a STOP
    const initcode = assemble(1, 0, 'RETURN')
    const word = bytesToBigint(initcode) << BigInt(8 * (32 - initcode.length))
    const create = [word, 0, 'MSTORE', initcode.length, 0, 0, 'CREATE']
    const { seen } = await lookAt(stateWith(assemble(...create, 'STOP')), (now, step) => {
      const at = bigintToBytes(step.stack.at(-1) ?? 0n, 20)
      const record = step.opcode === 0 ? now.account(at) : undefined
      return record && now.code(decodeAccount(record).codeHash)
    })
    expect(seen.at(-1)).toEqual(new Uint8Array([0]))
  })

  test('shows empty storage for an account that did not exist', async () => {
    const state = stateWith(assemble(20, 'BALANCE', 'STOP'))
    const { seen } = await lookAt(state, (now) => now.storage(address(20), slot))
    const none = new Uint8Array(0)
    expect(seen).toEqual([undefined, none, none])
  })
})

describe('the consumer of a trace', () => {
  // 128 steps with up to 64 words, 400 times: drains the trace buffer many times
  const words = Array.from({ length: 64 }, () => 'CALLER')
  const rounds = Array.from({ length: 400 }, () => [...words, ...words.map(() => 'POP')]).flat()
  const state = stateWith(assemble(...rounds))

  function traceCounting() {
    const counted = { steps: 0 }
    const trace: TraceSink = {
      steps: { stack: true, memory: false },
      onStep: () => void counted.steps++,
      onEvent: () => {},
    }
    return { counted, trace }
  }

  test('is called after each part, and pauses the engine until it is ready', async () => {
    const engine = await engineInBlock({ baseFee: 0n })
    const { counted, trace } = traceCounting()
    const seen: number[] = []
    const onYield = async () => {
      const before = counted.steps
      seen.push(before)
      await new Promise((resolve) => setImmediate(resolve))
      expect(counted.steps).toBe(before)
    }
    const run = engine.transact(transaction({ type: 0 }), { trace })
    await answerFromAsync(run, state, { onYield })
    expect(counted.steps).toBe(rounds.length + 1)
    expect(seen.length).toBeGreaterThan(10)
    // No part is empty
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('ends the run by throwing', async () => {
    const engine = await engineInBlock({ baseFee: 0n })
    const { counted, trace } = traceCounting()
    const onYield = () => Promise.reject(new Error('gone'))
    const run = engine.transact(transaction({ type: 0 }), { trace })
    await expect(answerFromAsync(run, state, { onYield })).rejects.toThrow('gone')
    expect(counted.steps).toBeLessThan(rounds.length)
    const again = engine.transact(transaction({ type: 0 }), { trace: traceCounting().trace })
    expect(answerFrom(again, state)).toMatchObject({ kind: 'executed', success: true })
  })
})
