import { describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import type { AccountOverride } from '../../../../../host/evm/execute/simulate/overlay-view.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { wallClock } from '../../../../../host/evm/trace/job/profile.ts'
import { runTraceJob } from '../../../../../host/evm/trace/job/run-trace.ts'
import type { TraceJob } from '../../../../../host/evm/trace/job/trace-job.ts'
import { ChunkedJsonWriter } from '../../../../../host/evm/trace/json-writer.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  CONTRACT,
  engineInBlock,
  executed,
  SENDER,
  stateWith,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'
import { openScriptEngine } from '../../../../support/engine/script-engine.ts'

/** Counts its calls in slot 0, logs the count, and loops as many times as the input says. */
const COUNTER = assemble(
  ...[0, 'SLOAD', 1, 'ADD', 'DUP1', 0, 'SSTORE', 0, 'MSTORE', 32, 0, 'LOG0'],
  ...[0, 'CALLDATALOAD', 'JUMPDEST', 'DUP1', 'ISZERO', 34, 'JUMPI'],
  ...[1, 'SWAP1', 'SUB', 21, 'JUMP', 'JUMPDEST', 'STOP'],
)

const word = (value: number) => bigintToBytes(BigInt(value), 32)
const hashOf = (nonce: number) => bigintToBytes(BigInt(0xaa00 + nonce), 32)

/** Returns a block of calls of the counter with these loop counts, and the gas that each uses. */
async function blockOf(turns: readonly number[]) {
  const view = stateWith(COUNTER)
  const engine = await engineInBlock()
  const transactions = turns.map((count, nonce) => {
    const input = transaction({ nonce: BigInt(nonce), data: word(count) })
    const { gasUsed, success } = executed(answerFrom(engine.transact(input), view))
    expect(success).toBe(true)
    return { transaction: { ...input, hash: hashOf(nonce) } as Transaction, gasUsed }
  })
  const plan = {
    height: BLOCK.number,
    blockHash: word(7),
    env: BLOCK,
    systemCalls: [],
    transactions,
  }
  return { plan, view }
}

type Block = Awaited<ReturnType<typeof blockOf>>

/** Runs a job and parses its output. */
async function run(
  { plan, view }: Block,
  fields: Partial<TraceJob>,
  signal = new AbortController().signal,
) {
  const chunks: Uint8Array[] = []
  const writer = new ChunkedJsonWriter((chunk) => chunks.push(chunk))
  const phases: number[] = []
  const engine = await engineInBlock()
  const job: TraceJob = {
    target: { kind: 'block' },
    plan,
    tracer: 'callTracer',
    config: {},
    limits: { structLogBytes: 1 << 20 },
    ...fields,
  }
  await runTraceJob(job, {
    engine,
    view,
    writer,
    signal,
    scripts: openScriptEngine,
    pause: () => undefined,
    onReplayed: () => phases.push(writer.size),
  })
  expect(phases).toHaveLength(1)
  writer.flush()
  return JSON.parse(Buffer.concat(chunks).toString())
}

const LOGS = { tracer: 'callTracer', config: { withLog: true } }

describe('the trace of a block', () => {
  test('runs each transaction once, after its predecessors', async () => {
    const traced = await run(await blockOf([0, 0, 0]), LOGS)
    expect(traced.map(({ txHash }: { txHash: string }) => txHash)).toEqual(
      [0, 1, 2].map((nonce) => formatData(hashOf(nonce))),
    )
    const logs = traced.map(({ result }: { result: { logs: unknown } }) => result.logs)
    expect(logs).toEqual(
      [1, 2, 3].map((count, index) => [
        {
          address: formatData(CONTRACT),
          topics: [],
          data: formatData(word(count)),
          index: `0x${index}`,
          position: '0x0',
        },
      ]),
    )
  })

  test('continues after a transaction whose tracer fails, with its effects', async () => {
    const block = await blockOf([0, 500, 0])
    const [first, second, third] = await run(block, {
      tracer: 'muxTracer',
      config: { opcodeTracer: {}, callTracer: { withLog: true } },
      limits: { structLogBytes: 20_000 },
    })
    expect(first.error).toBeUndefined()
    expect(second.error).toMatch(/^the steps take more than 20000 bytes/)
    expect(second.txHash).toBe(formatData(hashOf(1)))
    expect(third.error).toBeUndefined()
    expect(third.result.callTracer.logs[0]).toMatchObject({
      data: formatData(word(3)),
      index: '0x2',
    })
  })

  test('has an error for each transaction if the options are invalid', async () => {
    const traced = await run(await blockOf([0, 0]), { config: { withLog: 'yes' } })
    expect(traced).toEqual(
      [0, 1].map((nonce) => ({
        txHash: formatData(hashOf(nonce)),
        error: 'withLog: want a boolean, got string',
      })),
    )
  })

  test('is an empty array without transactions', async () => {
    expect(await run(await blockOf([]), {})).toEqual([])
  })

  test('stops as a whole when it is aborted', async () => {
    const aborted = run(await blockOf([0]), {}, AbortSignal.abort())
    await expect(aborted).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
  })
})

describe('the trace of the last transaction of a plan', () => {
  test('runs after the others, which are not traced', async () => {
    const block = await blockOf([5, 5, 0])
    const frame = await run(block, { ...LOGS, target: { kind: 'transaction' } })
    expect(frame.logs).toMatchObject([{ data: formatData(word(3)), index: '0x2' }])
    expect(frame.from).toBe(formatData(SENDER))
  })

  test('with a profile has phases and reads that fit into the total time', async () => {
    const begun = {
      startedAt: wallClock(),
      lookupTransactionNanos: 11,
      loadBlockNanos: 12,
      buildBlockContextNanos: 13,
    }
    const target = { kind: 'transaction', profile: begun } as const
    const { trace, profile } = await run(await blockOf([5, 0]), { ...LOGS, target })
    expect(trace).toMatchObject({ type: 'CALL', logs: [{ data: formatData(word(2)) }] })
    const { totalNanos, historicalDbLookupNanos, otherNanos, phases } = profile
    expect(Object.keys(phases)).toEqual([
      'lookupTransactionNanos',
      'loadBlockNanos',
      'replayHistoricalTxsNanos',
      'buildBlockContextNanos',
      'prepareTxNanos',
      'executionNanos',
      'traceResultNanos',
    ])
    expect(phases).toMatchObject({
      lookupTransactionNanos: 11,
      loadBlockNanos: 12,
      buildBlockContextNanos: 13,
    })
    const measured =
      phases.replayHistoricalTxsNanos +
      phases.prepareTxNanos +
      phases.executionNanos +
      phases.traceResultNanos
    expect(historicalDbLookupNanos).toBeGreaterThan(0)
    expect(historicalDbLookupNanos + otherNanos).toBe(totalNanos)
    expect(measured).toBeLessThanOrEqual(totalNanos)
  })
})

describe('the trace of a call', () => {
  const input = transaction({ data: word(0), maxFeePerGas: 0n, nonce: 99n })
  const env = { ...BLOCK, baseFee: 0n }
  const call = { input, env, priced: false, stateOverrides: [] }

  test("runs on the state after the plan's transactions", async () => {
    const block = await blockOf([0, 0])
    const inside = await run(block, { ...LOGS, target: { kind: 'call', call } })
    expect(inside.logs).toMatchObject([{ data: formatData(word(3)), index: '0x2' }])
    const target = { kind: 'call', call } as const
    const alone = await run(block, { ...LOGS, plan: undefined, target })
    expect(alone.logs).toMatchObject([{ data: formatData(word(1)), index: '0x0' }])
  })

  test('is repeated on the same state for a script that reads it in its steps', async () => {
    const target = { kind: 'call', call } as const
    const tracer = `{
      read: [],
      step: function (log, db) {
        var word = toHex(db.getState(log.contract.getAddress(), toWord('0x0')))
        if (this.read.indexOf(word) < 0) this.read.push(word)
      },
      result: function () { return this.read },
    }`
    const read = await run(await blockOf([0, 0]), { tracer, target })
    expect(read).toEqual([formatData(word(2)), formatData(word(3))])
  })

  test('sees overrides on top of that state', async () => {
    const override = {
      address: CONTRACT,
      balance: undefined,
      nonce: undefined,
      code: undefined,
      state: undefined,
      stateDiff: [{ slot: word(0), value: word(40) }],
      movePrecompileTo: undefined,
    }
    const target = { kind: 'call', call: { ...call, stateOverrides: [override] } } as const
    const frame = await run(await blockOf([0, 0]), { ...LOGS, target })
    expect(frame.logs).toMatchObject([{ data: formatData(word(41)) }])
  })

  test('without recipient is a creation', async () => {
    const creation = { ...call, input: { ...input, to: undefined, data: assemble('STOP') } }
    const frame = await run(await blockOf([]), { target: { kind: 'call', call: creation } })
    expect(frame).toMatchObject({ type: 'CREATE', from: formatData(SENDER) })
    expect(frame.to).not.toBe(formatData(address(0)))
  })
})

describe('the trace of bundles of calls', () => {
  const input = transaction({ data: word(0), maxFeePerGas: 0n, nonce: 99n })
  const env = { ...BLOCK, baseFee: 0n }
  const call = { input, env, priced: false, stateOverrides: [] }
  const bundlesOf = (bundles: (typeof call)[][], stateOverrides: readonly AccountOverride[] = []) =>
    ({ kind: 'bundles', bundles, stateOverrides }) as const
  const countsIn = (traced: { logs: { data: string }[] }[][]) =>
    traced.map((frames) => frames.map(({ logs }) => Number(logs[0]?.data)))

  test('runs each call on the state after the one before, from the transactions of the plan on', async () => {
    const target = bundlesOf([[call, call], [], [call]])
    const block = await blockOf([0, 0])
    expect(countsIn(await run(block, { ...LOGS, target }))).toEqual([[3, 4], [], [5]])
    const alone = await run(block, { ...LOGS, plan: undefined, target })
    expect(countsIn(alone)).toEqual([[1, 2], [], [3]])
  })

  test('overrides the state once, before the first call', async () => {
    const override = {
      address: CONTRACT,
      balance: undefined,
      nonce: undefined,
      code: undefined,
      state: undefined,
      stateDiff: [{ slot: word(0), value: word(40) }],
      movePrecompileTo: undefined,
    }
    const target = bundlesOf([[call], [call]], [override])
    expect(countsIn(await run(await blockOf([0]), { ...LOGS, target }))).toEqual([[41], [42]])
  })

  test('has the value of each call, or why it failed', async () => {
    const reason = assemble(0xdead, 0, 'MSTORE', 2, 30, 'REVERT')
    const creation = (code: Uint8Array) => ({
      ...call,
      input: { ...input, to: undefined, data: code },
    })
    const value = creation(assemble(0, 0, 'RETURN'))
    const target = bundlesOf([
      [call, creation(reason)],
      [creation(assemble('INVALID')), value],
    ])
    const traced = await run(await blockOf([]), { tracer: 'outcomeTracer', target })
    expect(traced).toEqual([
      [{ value: '0x' }, { error: 'execution reverted', data: '0xdead' }],
      [{ error: 'invalid opcode: INVALID' }, { value: '0x' }],
    ])
  })

  test('names the call that the protocol rejects', async () => {
    const poor = { ...call, input: { ...input, gas: 20_000n } }
    const target = bundlesOf([[call], [call, poor]])
    await expect(run(await blockOf([]), { ...LOGS, target })).rejects.toMatchObject({
      code: 'TRANSACTION_REJECTED',
      message: expect.stringMatching(/^bundle 1, transaction 1: intrinsic gas too low/),
    })
  })
})

describe('a script on a block', () => {
  const COUNTS = `{
    steps: 0,
    step: function () { this.steps++ },
    result: function (ctx) { return [ctx.txIndex, this.steps] },
  }`

  test('receives each transaction', async () => {
    const traced = await run(await blockOf([0, 0, 0]), { tracer: COUNTS })
    const results = traced.map(({ result }: { result: unknown }) => result)
    expect(results.map(([index]: [number, number]) => index)).toEqual([0, 1, 2])
    expect(results.every(([, steps]: [number, number]) => steps > 0)).toBe(true)
  })

  test('that reads the state in its steps sees it after earlier transactions', async () => {
    const reading = `{
      nonces: [],
      step: function (log, db) { this.nonces.push(db.getNonce(log.contract.getCaller())) },
      result: function () { return this.nonces[0] },
    }`
    const traced = await run(await blockOf([0, 0, 0]), { tracer: reading })
    expect(traced.map(({ result }: { result: number }) => result)).toEqual([1, 2, 3])
  })

  test('that fails leaves an error in its element, and the block continues', async () => {
    const failing = `{
      step: function () { throw new Error('no more') },
      result: function () { return 1 },
    }`
    const traced = await run(await blockOf([0, 0]), { tracer: failing })
    for (const { error } of traced) expect(error).toContain('no more')
    expect(traced).toHaveLength(2)
  })
})
