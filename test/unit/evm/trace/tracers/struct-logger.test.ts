import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { opcodeName } from '../../../../../host/evm/engine/opcode.ts'
import type { TraceSink } from '../../../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { ChunkedJsonWriter } from '../../../../../host/evm/trace/json-writer.ts'
import type { TracerConfig } from '../../../../../host/evm/trace/tracer.ts'
import { FrameMemories } from '../../../../../host/evm/trace/tracers/frame-memory.ts'
import { structLogger } from '../../../../../host/evm/trace/tracers/struct-logger.ts'
import { openTracer } from '../../../../../host/evm/trace/tracers/tracer-table.ts'
import { openState } from '../../../../fuzz/lockstep.ts'
import { generateScenario, toInput } from '../../../../fuzz/scenario.ts'
import type { TestState } from '../../../../support/chain/test-state.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  CONTRACT,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'
import { keepStep, type Step } from '../../../../support/trace/kept-step.ts'

const CALLEE = address(0x3333)
const CALLEE_WORD = bytesToBigint(CALLEE)
const ALL = 1 << 30

const EMPTY = stateWith(new Uint8Array())

const engine = await engineInBlock({ baseFee: 0n })

function openLogger(config: TracerConfig, structLogBytes = ALL) {
  const chunks: Uint8Array[] = []
  const writer = new ChunkedJsonWriter((chunk) => void chunks.push(chunk))
  const message = { input: transaction(), env: BLOCK, gasPrice: 0n }
  const tracer = structLogger({ message, config, limits: { structLogBytes }, view: EMPTY, writer })
  const text = () => {
    writer.flush()
    return Buffer.concat(chunks).toString()
  }
  return { tracer, text }
}

/** Returns the trace of a call of CONTRACT as a client receives it. */
function trace(state: TestState, config: TracerConfig = {}, gas = 100_000n, most = ALL) {
  const { tracer, text } = openLogger(config, most)
  engine.beginBlock({ ...BLOCK, baseFee: 0n })
  const input = transaction({ type: 0, gas })
  tracer.finish(executed(answerFrom(engine.transact(input, { trace: tracer.sink }), state)))
  return JSON.parse(text())
}

const traceCode = (code: readonly (string | number | bigint)[], config?: TracerConfig) =>
  trace(stateWith(assemble(...code)), config)

const word = (value: number | bigint) => formatData(bigintToBytes(BigInt(value), 32))

describe('the struct logger', () => {
  test('shows pc, name, gas, cost, depth and stack of each opcode, and how the run ended', () => {
    const { tracer, text } = openLogger({})
    engine.beginBlock({ ...BLOCK, baseFee: 0n })
    const code = assemble(5, 2n ** 255n, 'DUP2', 'SWAP1', 'ADD')
    const input = transaction({ type: 0, gas: 100_000n })
    tracer.finish(
      executed(answerFrom(engine.transact(input, { trace: tracer.sink }), stateWith(code))),
    )
    const high = `0x8${'0'.repeat(63)}`
    expect(text()).toBe(
      '{"structLogs":[' +
        '{"pc":0,"op":"PUSH1","gas":79000,"gasCost":3,"depth":1,"stack":[]},' +
        '{"pc":2,"op":"PUSH32","gas":78997,"gasCost":3,"depth":1,"stack":["0x5"]},' +
        `{"pc":35,"op":"DUP2","gas":78994,"gasCost":3,"depth":1,"stack":["0x5","${high}"]},` +
        `{"pc":36,"op":"SWAP1","gas":78991,"gasCost":3,"depth":1,"stack":["0x5","${high}","0x5"]},` +
        `{"pc":37,"op":"ADD","gas":78988,"gasCost":3,"depth":1,"stack":["0x5","0x5","${high}"]},` +
        `{"pc":38,"op":"STOP","gas":78985,"gasCost":0,"depth":1,"stack":["0x5","0x8${'0'.repeat(62)}5"]}` +
        '],"gas":21015,"failed":false,"returnValue":"0x"}',
    )
  })

  test('names opcodes as geth does', () => {
    const { structLogs } = traceCode(['PREVRANDAO', 'SELFDESTRUCT'])
    expect(structLogs.map(({ op }: { op: string }) => op)).toEqual(['DIFFICULTY', 'SELFDESTRUCT'])
  })

  test('has no steps if no code runs', () => {
    expect(trace(stateWith(new Uint8Array(0)))).toEqual({
      gas: 21_000,
      failed: false,
      returnValue: '0x',
      structLogs: [],
    })
  })

  test('omits the stack on request', () => {
    const { structLogs } = traceCode([1], { disableStack: true })
    expect(structLogs[1]).toEqual({ pc: 2, op: 'STOP', gas: 78_997, gasCost: 0, depth: 1 })
  })

  test('shows memory on request, before the opcode expands it', () => {
    const code = [0xabcd, 31, 'MSTORE', 0xee, 2, 'MSTORE8', 64, 'MLOAD']
    const { structLogs } = traceCode(code, { enableMemory: true, disableStack: true })
    const memories = structLogs.map(({ memory }: { memory?: string[] }) => memory)
    const stored = [word(0), `0x${'00'.repeat(29)}abcd00`]
    const marked = [`0x0000ee${'00'.repeat(29)}`, stored[1]]
    expect(memories).toEqual([
      ...[undefined, undefined, undefined],
      ...[stored, stored, stored],
      ...[marked, marked],
      [...marked, word(0)],
    ])
  })

  test('keeps the memories of caller and callee apart', () => {
    const state = stateWith(
      assemble(0x11, 0, 'MSTORE', 2, 1, 0, 0, CALLEE_WORD, 'GAS', 'STATICCALL', 'STOP'),
    )
    state.setAccount(CALLEE, 1n, 0n, assemble(0xbeef, 32, 'MSTORE', 2, 62, 'RETURN'))
    const { structLogs } = trace(state, { enableMemory: true, disableStack: true })
    const at = (name: string, depth: number) =>
      structLogs.find(
        (step: { op: string; depth: number }) => step.op === name && step.depth === depth,
      )
    expect(at('STATICCALL', 1).memory).toEqual([word(0x11)])
    expect(at('PUSH2', 2).memory).toBeUndefined()
    expect(at('RETURN', 2).memory).toEqual([word(0), word(0xbeef)])
    expect(at('STOP', 1).memory).toEqual([`0x00beef${'00'.repeat(28)}11`])
  })

  test('shows the sorted slots of a contract seen so far at SLOAD and SSTORE', () => {
    const state = stateWith(assemble(5, 'SLOAD', 9, 3, 'SSTORE', 8, 5, 'SSTORE', 3, 'SLOAD'))
    state.setStorage(CONTRACT, bigintToBytes(5n, 32), bigintToBytes(77n, 32))
    const { structLogs } = trace(state)
    const shown = structLogs.flatMap(({ storage }: { storage?: object }) =>
      storage ? [storage] : [],
    )
    expect(shown.map((storage: object) => Object.entries(storage))).toEqual([
      [[word(5), word(77)]],
      [
        [word(3), word(9)],
        [word(5), word(77)],
      ],
      [
        [word(3), word(9)],
        [word(5), word(8)],
      ],
      [
        [word(3), word(9)],
        [word(5), word(8)],
      ],
    ])
    expect(JSON.stringify(trace(state, { disableStorage: true }))).not.toContain('storage')
  })

  test('shows slots under the contract that owns the storage', () => {
    const call = (name: string) => [0, 0, 0, 0, CALLEE_WORD, 'GAS', name, 'POP']
    const state = stateWith(
      assemble(1, 1, 'SSTORE', ...call('STATICCALL'), ...call('DELEGATECALL'), 1, 'SLOAD'),
    )
    state.setAccount(CALLEE, 1n, 0n, assemble(2, 'SLOAD'))
    const { structLogs } = trace(state)
    const shown = structLogs.flatMap(({ storage }: { storage?: object }) =>
      storage ? [storage] : [],
    )
    expect(shown).toEqual([
      { [word(1)]: word(1) },
      { [word(2)]: word(0) },
      { [word(1)]: word(1), [word(2)]: word(0) },
      { [word(1)]: word(1), [word(2)]: word(0) },
    ])
  })

  test('shows return data on request, if there is any', () => {
    const state = stateWith(assemble(0, 0, 0, 0, CALLEE_WORD, 'GAS', 'STATICCALL', 'POP'))
    state.setAccount(CALLEE, 1n, 0n, assemble(0xabcd, 0, 'MSTORE', 2, 30, 'REVERT'))
    const { structLogs } = trace(state, { enableReturnData: true })
    const shown = structLogs.map(({ returnData }: { returnData?: string }) => returnData)
    expect(shown).toEqual([...Array(7 + 6).fill(undefined), '0xabcd', '0xabcd'])
  })

  test('shows a refund that is not zero', () => {
    const state = stateWith(assemble(0, 1, 'SSTORE'))
    state.setStorage(CONTRACT, bigintToBytes(1n, 32), bigintToBytes(1n, 32))
    const { structLogs, gas } = trace(state)
    const refunds = structLogs.map(({ refund }: { refund?: number }) => refund)
    expect(refunds).toEqual([undefined, undefined, 4800, 4800])
    expect(gas).toBe(21_000 + 6 + 5000 - 4800)
  })

  test.each([
    ['stack underflow', ['ADD'], { op: 'ADD', gasCost: 3, error: 'stack underflow (0 <=> 2)' }],
    ['out of gas', [1, 2n ** 30n, 'MSTORE'], { op: 'MSTORE', error: 'out of gas' }],
  ] as const)('shows the error of a refused step: %s', (_what, code, step) => {
    const { structLogs, failed, gas } = traceCode(code)
    expect(structLogs.at(-1)).toMatchObject(step)
    expect({ failed, gas }).toEqual({ failed: true, gas: 100_000 })
  })

  test.each([
    [
      'a byte without meaning',
      [new Uint8Array([0x21])],
      { op: 'opcode 0x21 not defined', gasCost: 0 },
    ],
    ['a jump to nowhere', [assemble(9, 'JUMP')], { op: 'JUMP', gasCost: 8, stack: ['0x9'] }],
  ] as const)('shows no error if the opcode fails during execution: %s', (_what, code, step) => {
    const { structLogs, failed } = trace(stateWith(assemble(...code)))
    expect(structLogs.at(-1)).toEqual({
      pc: expect.any(Number),
      gas: expect.any(Number),
      depth: 1,
      stack: [],
      ...step,
    })
    expect(failed).toBe(true)
  })

  test('returns the data of a revert, and no value for another failure', () => {
    const reverted = traceCode([0xabcd, 0, 'MSTORE', 2, 30, 'REVERT'])
    expect(reverted).toMatchObject({ failed: true, returnValue: '0xabcd' })
    expect(traceCode([0xabcd, 0, 'MSTORE', 'INVALID'])).toMatchObject({ returnValue: '0x' })
    expect(traceCode([7, 0, 'MSTORE', 1, 31, 'RETURN'])).toMatchObject({ returnValue: '0x07' })
  })

  test('shows steps up to the limit of bytes', () => {
    const whole = traceCode([1, 2, 'ADD'])
    const first = JSON.stringify(whole.structLogs[0]).length
    const count = (limit: number) => traceCode([1, 2, 'ADD'], { limit }).structLogs.length
    const second = JSON.stringify(whole.structLogs[1]).length
    expect([count(0), count(1), count(first), count(first + 1)]).toEqual([4, 1, 2, 2])
    // The separators between steps do not count
    expect([count(first + second - 1), count(first + second)]).toEqual([2, 3])
    expect(traceCode([1, 2, 'ADD'], { limit: 1 }).gas).toBe(whole.gas)
  })

  test('fails if the steps exceed the limit of the node', () => {
    const state = stateWith(assemble(1, 2, 'ADD'))
    expect(() => trace(state, {}, 100_000n, 200)).toThrow(
      'the steps take more than 200 bytes ([evm] max_trace_struct_log_bytes)',
    )
    expect(trace(state, { limit: 10 }, 100_000n, 200).structLogs).toHaveLength(1)
  })

  test.each([
    [{ limit: -1 }, 'limit: want a number of bytes, got -1'],
    [{ limit: '5' }, 'limit: want a number of bytes, got 5'],
    [{ enableMemory: 1 }, 'enableMemory: want a boolean, got number'],
  ])('refuses the options %o', (config, message) => {
    expect(() => openLogger(config)).toThrow(message)
  })

  test('runs twice in a muxTracer, each with its own options', async () => {
    const chunks: Uint8Array[] = []
    const writer = new ChunkedJsonWriter((chunk) => void chunks.push(chunk))
    const message = { input: transaction(), env: BLOCK, gasPrice: 0n }
    const limits = { structLogBytes: ALL }
    const config = {
      opcodeTracer: { disableStorage: true },
      muxTracer: { opcodeTracer: { disableStack: true } },
    }
    const view = stateWith(assemble(3, 4, 'ADD', 1, 'SSTORE'))
    const request = { message, config, limits, view, writer }
    const tracer = await openTracer('muxTracer', request, keccak_256)
    engine.beginBlock({ ...BLOCK, baseFee: 0n })
    const run = engine.transact(transaction({ type: 0, gas: 100_000n }), { trace: tracer.sink })
    tracer.finish(executed(answerFrom(run, view)))
    writer.flush()
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual({
      opcodeTracer: trace(view, config.opcodeTracer),
      muxTracer: { opcodeTracer: trace(view, config.muxTracer.opcodeTracer) },
    })
  })

  test('follows a recursion of 1024 frames', () => {
    // Calls itself with 63/64 of its gas, as deep as the gas allows
    const state = stateWith(assemble(0, 0, 0, 0, bytesToBigint(CONTRACT), 'GAS', 'STATICCALL'))
    const input = 10_000_000n
    const { structLogs } = trace(state, { enableMemory: true }, input)
    const deepest = Math.max(...structLogs.map(({ depth }: { depth: number }) => depth))
    expect(deepest).toBeGreaterThan(250)
    const ends = structLogs.filter(({ op }: { op: string }) => op === 'STOP')
    expect(ends.map(({ depth }: { depth: number }) => depth)).toEqual(
      Array.from({ length: ends.length }, (_, i) => ends.length - i),
    )
    expect(ends.at(-1).stack).toEqual(['0x1'])
  })
})

function wordsOf(memory: Uint8Array): string[] {
  const words = Array.from({ length: memory.length / 32 }, (_, i) => 32 * i)
  return words.map((at) => formatData(memory.subarray(at, at + 32)))
}

/** Returns a step in geth's JSON form, from the cursor's data and its memory. */
function logOf(step: Step, memory: Uint8Array): object {
  return {
    pc: step.pc,
    op: opcodeName(step.opcode),
    gas: step.gas,
    gasCost: step.cost,
    depth: step.depth,
    ...(step.isRefused ? { error: step.error } : {}),
    stack: step.stack.map((value) => `0x${value.toString(16)}`),
    ...(memory.length === 0 ? {} : { memory: wordsOf(memory) }),
    ...(step.refund === 0 ? {} : { refund: step.refund }),
  }
}

describe('the text of recorded steps', () => {
  const FIRST_SEED = 31_000
  const SCENARIOS = 20

  test(`equals the steps in ${SCENARIOS} scenarios from seed ${FIRST_SEED}`, () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SCENARIOS; seed++) {
      const scenario = generateScenario(seed)
      const state = openState(scenario)
      engine.beginBlock(scenario.env)
      for (const row of scenario.transactions) {
        const { tracer, text } = openLogger({ disableStorage: true, enableMemory: true })
        const memories = new FrameMemories()
        const logs: object[] = []
        const sink: TraceSink = {
          ...tracer.sink,
          onEvent(event) {
            if (event.kind === 'enter') memories.enter(event.depth + 1)
            tracer.sink.onEvent(event)
          },
          onMemory(depth, offset, bytes) {
            memories.write(depth, offset, bytes)
            tracer.sink.onMemory?.(depth, offset, bytes)
          },
          onStep(step) {
            logs.push(logOf(keepStep(step), memories.read(step.depth, step.memorySize)))
            tracer.sink.onStep?.(step)
          },
        }
        const outcome = answerFrom(engine.transact(toInput(row), { trace: sink }), state)
        if (outcome.kind === 'rejected') continue
        tracer.finish(outcome)
        const [found, expected] = [text(), `{"structLogs":${JSON.stringify(logs)},"gas":`]
        if (!found.includes(expected)) expect(found, `seed ${seed}`).toContain(expected)
      }
    }
  })

  test('is correct for numbers with any number of digits', () => {
    for (let power = 0; power < 19; power++) {
      for (const gas of [
        10n ** BigInt(power),
        10n ** BigInt(power) - 1n,
        7n * 10n ** BigInt(power),
      ]) {
        if (gas + 21_000n >= 2n ** 53n) continue
        const state = stateWith(assemble('GAS'))
        const { tracer, text } = openLogger({})
        engine.beginBlock({ ...BLOCK, baseFee: 0n, gasLimit: 2n ** 62n, revision: 'Prague' })
        const input = transaction({ type: 0, gas: gas + 21_000n })
        const outcome = answerFrom(
          engine.transact(input, { trace: tracer.sink, discard: true }),
          state,
        )
        tracer.finish(executed(outcome))
        expect(JSON.parse(text()).structLogs[0].gas).toBe(Number(gas))
      }
    }
  })

  test('is correct for words of every length', () => {
    const values = Array.from({ length: 64 }, (_, digits) => 16n ** BigInt(digits) * 0xfn)
    const { structLogs } = traceCode(values.flatMap((value) => [value]))
    expect(structLogs.at(-1).stack).toEqual(values.map((value) => `0x${value.toString(16)}`))
  })
})
