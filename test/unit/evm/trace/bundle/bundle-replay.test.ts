import { keccak_256 } from '@noble/hashes/sha3.js'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { bigintToBytes, bytesKey } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { encodeReceipt } from '../../../../../host/evm/chain-types/receipt.ts'
import type { Engine } from '../../../../../host/evm/engine/engine.ts'
import { opcodeName } from '../../../../../host/evm/engine/opcode.ts'
import type { SystemCall } from '../../../../../host/evm/execute/block-engine.ts'
import { makeReceipt } from '../../../../../host/evm/execute/receipt.ts'
import type { ReplayPlan } from '../../../../../host/evm/execute/replay/replay-plan.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { RecordedState, slotKey } from '../../../../../host/evm/state/recorded-state.ts'
import {
  type AccessScope,
  type Bundle,
  decodeBundle,
  encodeBundle,
} from '../../../../../host/evm/trace/bundle/bundle.ts'
import { replayBundle } from '../../../../../host/evm/trace/bundle/bundle-replay.ts'
import type { Difference } from '../../../../../host/evm/trace/bundle/difference.ts'
import { recordPlan } from '../../../../../host/evm/trace/bundle/record-plan.ts'
import { runTraceJob } from '../../../../../host/evm/trace/job/run-trace.ts'
import { ChunkedJsonWriter } from '../../../../../host/evm/trace/json-writer.ts'
import { SENDER, transaction } from '../../../../support/chain/fake-chain.ts'
import { TestState } from '../../../../support/chain/test-state.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  engineInBlock,
  executed,
} from '../../../../support/engine/engine-fixture.ts'
import { openScriptEngine } from '../../../../support/engine/script-engine.ts'

const keccak256 = (bytes: Uint8Array) => keccak_256(bytes)
const { signal } = new AbortController()
const slot = (number: number) => bigintToBytes(BigInt(number), 32)

const COUNTER = address(0xc0)
const CALLER = address(0xca)
const BEACON = address(0xbe)

/** Increments slot 0 and logs the new value. */
const COUNTER_CODE = assemble(
  ...[0, 'SLOAD', 1, 'ADD', 'DUP1', 0, 'SSTORE', 0, 'MSTORE', 32, 0, 'LOG0', 'STOP'],
)
/** Calls the counter, then reads its own slot 5, a balance and the hash of the parent block. */
const CALLER_CODE = assemble(
  ...[0, 0, 0, 0, 0, COUNTER.at(-1) as number, 100_000, 'CALL', 'POP'],
  ...[5, 'SLOAD', 'POP', BEACON.at(-1) as number, 'BALANCE', 'POP'],
  ...[999, 'BLOCKHASH', 'POP', 'STOP'],
)

const ENV = { ...BLOCK, baseFee: 1_000_000_000n }

function genesis(): TestState {
  const state = new TestState(keccak256, (number) => slot(number))
  state.setAccount(SENDER, 0n, 10n ** 21n, new Uint8Array())
  state.setAccount(COUNTER, 1n, 0n, COUNTER_CODE)
  state.setAccount(CALLER, 1n, 0n, CALLER_CODE)
  state.setAccount(BEACON, 1n, 0n, assemble(0, 'SLOAD', 'STOP'))
  state.setStorage(COUNTER, slot(0), slot(41))
  state.setStorage(CALLER, slot(5), slot(50))
  return state
}

const calls = (to: Uint8Array, nonce: bigint) =>
  transaction({ to, nonce, gas: 200_000n, maxFeePerGas: 2_000_000_000n })

let engine: Engine
beforeEach(async () => {
  engine = await engineInBlock()
})

/** Produces a block of calls and records it, with a round trip through JSON. */
async function recorded(
  scope: AccessScope,
  targets: readonly Uint8Array[],
  systemCalls: readonly SystemCall[] = [],
): Promise<Bundle> {
  const view = genesis()
  engine.beginBlock(ENV)
  for (const { to, data } of systemCalls) answerFrom(engine.systemCall(to, data), view)
  let cumulative = 0n
  const ran = targets.map((to, index) => {
    const one = calls(to, BigInt(index))
    const outcome = executed(answerFrom(engine.transact(one), view))
    cumulative += outcome.gasUsed
    const receipt = encodeReceipt(makeReceipt(one, outcome, cumulative, ENV, keccak256))
    return { transaction: one, gasUsed: outcome.gasUsed, receipt }
  })
  const blockHash = new Uint8Array(32).fill(0xb1)
  const plan: ReplayPlan = { height: 1000, blockHash, env: ENV, systemCalls, transactions: ran }
  const access = await recordPlan({ engine, plan, view, signal, onReplayed: () => {} }, scope)
  const outcomes = ran
    .slice(-access.plan.transactions.length)
    .map(({ receipt }) => ({ receipt, digests: undefined }))
  const bundle = { engineHash: '00'.repeat(32), scope, ...access, outcomes }
  const chain = { tendermint: [], receipt: [] }
  return decodeBundle(JSON.parse(JSON.stringify(encodeBundle(bundle, chain))), keccak256)
}

/** Records a block with the digests of its steps. */
async function digested(...args: Parameters<typeof recorded>): Promise<Bundle> {
  const bundle = await recorded(...args)
  const { digests, difference } = await replayBundle(bundle, { engine, signal })
  expect(difference).toBeUndefined()
  const outcomes = bundle.outcomes.map(({ receipt }, i) => ({ receipt, digests: digests[i] }))
  return { ...bundle, outcomes }
}

async function differenceOf(bundle: Bundle): Promise<Difference | undefined> {
  const { difference } = await replayBundle(bundle, { engine, signal })
  if (difference === undefined || !('at' in difference) || difference.at === undefined) {
    return difference
  }
  return {
    ...difference,
    at: { ...difference.at, opcode: opcodeName(difference.at.opcode) as never },
  }
}

/** Returns the bundle with a changed outcome of its only transaction. */
function withOutcome(bundle: Bundle, change: Partial<Bundle['outcomes'][number]>): Bundle {
  return { ...bundle, outcomes: bundle.outcomes.map((one) => ({ ...one, ...change })) }
}

/** Returns the steps that the engine runs, in order. */
async function stepsOf(bundle: Bundle): Promise<{ pc: number; name: string; gas: number }[]> {
  const steps: { pc: number; name: string; gas: number }[] = []
  const view = new RecordedState(bundle.reads)
  engine.beginBlock(bundle.plan.env)
  for (const { transaction: one } of bundle.plan.transactions) {
    const trace = {
      steps: { stack: false, memory: false },
      onEvent: () => {},
      onStep: ({ pc, opcode, gas }: { pc: number; opcode: number; gas: number }) =>
        void steps.push({ pc, name: opcodeName(opcode), gas }),
    }
    answerFrom(engine.transact(one, { trace }), view)
  }
  return steps
}

describe('a recorded transaction', () => {
  test('replays with the same receipt and steps on another engine', async () => {
    const bundle = await digested('transaction', [COUNTER, CALLER])
    const other = await engineInBlock()
    const verdict = await replayBundle(bundle, { engine: other, signal })
    expect(verdict.difference).toBeUndefined()
    expect(verdict.digests).toEqual(bundle.outcomes.map(({ digests }) => digests))
    expect(verdict.digests[0]).toHaveLength((await stepsOf(bundle)).length)
  })

  test('contains only its own reads, with the values that earlier transactions left', async () => {
    const { plan, reads } = await recorded('transaction', [CALLER, COUNTER])
    expect(plan).toMatchObject({ first: { index: 1, logIndex: 1 }, systemCalls: [] })
    expect(plan.first?.cumulativeGasUsed).toBeGreaterThan(21_000n)
    expect([...reads.slots.values()]).toEqual([
      { address: COUNTER, slot: slot(0), value: slot(42) },
    ])
    expect(reads.accounts.has(bytesKey(CALLER))).toBe(false)
    expect(reads.blockHashes.size).toBe(0)
  })

  test('contains what only tracers read, such as the code of an account whose balance is read', async () => {
    const { reads } = await recorded('transaction', [CALLER])
    const codes = [...reads.codes.values()].map(({ code }) => formatData(code))
    expect(codes).toContain(formatData(assemble(0, 'SLOAD', 'STOP')))
    expect([...reads.blockHashes]).toEqual([[999, slot(999)]])
  })

  test('is traced at its true index in the block', async () => {
    const { plan, reads, scope } = await recorded('transaction', [COUNTER, COUNTER])
    const chunks: Uint8Array[] = []
    const writer = new ChunkedJsonWriter((chunk) => chunks.push(chunk))
    const limits = { structLogBytes: 1 << 20 }
    const job = { target: { kind: scope }, plan, limits }
    const view = new RecordedState(reads)
    const pause = () => undefined
    const scripts = openScriptEngine
    const context = { engine, view, writer, signal, scripts, pause, onReplayed: () => {} }
    await runTraceJob({ ...job, tracer: 'callTracer', config: { withLog: true } }, context)
    writer.flush()
    const frame = JSON.parse(Buffer.concat(chunks.splice(0)).toString())
    expect(frame.logs).toMatchObject([{ index: '0x1', data: formatData(slot(43)) }])
    const fresh = { ...context, writer: new ChunkedJsonWriter((chunk) => chunks.push(chunk)) }
    await runTraceJob({ ...job, tracer: 'flatCallTracer', config: {} }, fresh)
    fresh.writer.flush()
    const flat = JSON.parse(Buffer.concat(chunks).toString())
    expect(flat).toMatchObject([{ transactionPosition: 1, blockNumber: 1000 }])
    chunks.length = 0
    const scripted = { ...context, writer: new ChunkedJsonWriter((chunk) => chunks.push(chunk)) }
    const tracer = '{ result: function (ctx) { return [ctx.txIndex, ctx.block] } }'
    await runTraceJob({ ...job, tracer, config: {} }, scripted)
    scripted.writer.flush()
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual([1, 1000])
  })
})

describe('a recorded block', () => {
  test('replays from the state before it, including system calls', async () => {
    const systemCalls = [{ to: BEACON, data: new Uint8Array(32) }]
    const bundle = await digested('block', [COUNTER, CALLER, COUNTER], systemCalls)
    expect(bundle.reads.slots.get(slotKey(COUNTER, slot(0)))?.value).toEqual(slot(41))
    expect(bundle.reads.slots.has(slotKey(BEACON, slot(0)))).toBe(true)
    expect((await replayBundle(bundle, { engine, signal })).difference).toBeUndefined()
  })

  test('may have no transactions', async () => {
    expect(await replayBundle(await recorded('block', []), { engine, signal })).toEqual({
      digests: [],
    })
  })

  test('reports the value that a system call is missing', async () => {
    const bundle = await recorded('block', [], [{ to: BEACON, data: new Uint8Array(32) }])
    bundle.reads.slots.clear()
    expect(await differenceOf(bundle)).toEqual({
      kind: 'read',
      what: `the recorded state has no slot ${formatData(slot(0))} of ${formatData(BEACON)}`,
      at: undefined,
      transaction: undefined,
    })
  })
})

describe('the first difference of a replay', () => {
  test('is the step after the one that reads a different value', async () => {
    const bundle = await digested('transaction', [COUNTER])
    const steps = await stepsOf(bundle)
    const after = steps.findIndex(({ name }) => name === 'SLOAD') + 1
    const key = slotKey(COUNTER, slot(0))
    bundle.reads.slots.set(key, { address: COUNTER, slot: slot(0), value: slot(77) })
    const { pc, name, gas } = steps[after] as (typeof steps)[number]
    expect(await differenceOf(bundle)).toMatchObject({
      kind: 'step',
      at: { step: after, pc, opcode: name, depth: 1, gas },
    })
  })

  test('is the step with a different digest, in the right transaction', async () => {
    const bundle = await digested('block', [COUNTER, CALLER])
    const digests = bundle.outcomes[1]?.digests as Uint32Array
    digests[7] = (digests[7] as number) ^ 1
    digests[9] = (digests[9] as number) ^ 1
    expect(await differenceOf(bundle)).toMatchObject({
      kind: 'step',
      at: { step: 7, opcode: 'CALL', depth: 1 },
      transaction: formatData(calls(CALLER, 1n).hash),
    })
  })

  test('is the step at which a run ends early', async () => {
    const bundle = await digested('transaction', [COUNTER])
    const digests = bundle.outcomes[0]?.digests as Uint32Array
    const longer = Uint32Array.of(...digests, 1)
    const { length } = digests
    expect(await differenceOf(withOutcome(bundle, { digests: longer }))).toMatchObject({
      kind: 'steps',
      recorded: length + 1,
      now: length,
    })
    const shorter = digests.slice(0, -1)
    expect(await differenceOf(withOutcome(bundle, { digests: shorter }))).toMatchObject({
      kind: 'step',
      at: { step: length - 1, opcode: 'STOP' },
    })
  })

  test('is the missing read, at its step', async () => {
    const bundle = await digested('transaction', [CALLER])
    const steps = await stepsOf(bundle)
    const at = steps.findLastIndex(({ name }) => name === 'SLOAD')
    const { pc, gas } = steps[at] as (typeof steps)[number]
    bundle.reads.slots.delete(slotKey(CALLER, slot(5)))
    expect(await differenceOf(bundle)).toMatchObject({
      kind: 'read',
      what: `the recorded state has no slot ${formatData(slot(5))} of ${formatData(CALLER)}`,
      at: { step: at, pc, opcode: 'SLOAD', depth: 1, gas },
    })
  })

  test.each([
    ['an account', 'CALL', (reads: Bundle['reads']) => reads.accounts.delete(bytesKey(COUNTER))],
    [
      'code',
      'CALL',
      (reads: Bundle['reads']) => reads.codes.delete(bytesKey(keccak256(COUNTER_CODE))),
    ],
    ['an account', 'BALANCE', (reads: Bundle['reads']) => reads.accounts.delete(bytesKey(BEACON))],
    ['a hash', 'BLOCKHASH', (reads: Bundle['reads']) => reads.blockHashes.delete(999)],
  ])('is the missing %s at %s', async (_, name, remove) => {
    const bundle = await digested('transaction', [CALLER])
    const steps = await stepsOf(bundle)
    const at = steps.findIndex((step) => step.name === name)
    remove(bundle.reads)
    expect(await differenceOf(bundle)).toMatchObject({
      kind: 'read',
      at: { step: at, opcode: name, depth: 1 },
    })
  })

  test('is a step before a missing read, if the runs diverged earlier', async () => {
    const bundle = await digested('transaction', [CALLER])
    const digests = bundle.outcomes[0]?.digests as Uint32Array
    digests[3] = (digests[3] as number) ^ 1
    bundle.reads.slots.delete(slotKey(CALLER, slot(5)))
    expect(await differenceOf(bundle)).toMatchObject({ kind: 'step', at: { step: 3 } })
  })

  test('is a read before the first step, if even the sender is missing', async () => {
    const bundle = await digested('transaction', [COUNTER])
    bundle.reads.accounts.delete(bytesKey(SENDER))
    expect(await differenceOf(bundle)).toMatchObject({
      kind: 'read',
      what: `the recorded state has no account ${formatData(SENDER)}`,
      at: undefined,
    })
  })

  test('is the refusal of the transaction by the protocol', async () => {
    const bundle = await recorded('transaction', [COUNTER])
    bundle.reads.accounts.set(bytesKey(SENDER), { address: SENDER })
    expect(await differenceOf(bundle)).toMatchObject({
      kind: 'refused',
      reason: 'insufficientFunds',
    })
  })

  test('is a field of the receipt if there are no digests', async () => {
    const bundle = await recorded('transaction', [COUNTER])
    const key = slotKey(COUNTER, slot(0))
    bundle.reads.slots.set(key, { address: COUNTER, slot: slot(0), value: slot(77) })
    expect(await differenceOf(bundle)).toMatchObject({
      kind: 'receipt',
      field: 'logs[0].data',
      recorded: formatData(slot(42)),
      now: formatData(slot(78)),
    })
    bundle.reads.slots.set(key, { address: COUNTER, slot: slot(0) })
    expect(await differenceOf(bundle)).toMatchObject({ kind: 'receipt', field: 'gasUsed' })
  })

  test('is a field of the receipt if steps are not compared', async () => {
    const bundle = await digested('block', [COUNTER, COUNTER])
    const quick = { engine, signal, ignoresSteps: true }
    expect(await replayBundle(bundle, quick)).toEqual({ digests: [] })
    const key = slotKey(COUNTER, slot(0))
    bundle.reads.slots.set(key, { address: COUNTER, slot: slot(0), value: slot(77) })
    expect(await replayBundle(bundle, quick)).toMatchObject({
      digests: [],
      difference: { kind: 'receipt', field: 'logs[0].data', now: formatData(slot(78)) },
    })
    expect(await differenceOf(bundle)).toMatchObject({ kind: 'step' })
    bundle.reads.slots.delete(key)
    expect((await replayBundle(bundle, quick)).difference).toMatchObject({
      kind: 'read',
      at: { step: 1 },
    })
  })

  test('is the cumulative gas of a receipt with another index', async () => {
    const bundle = await recorded('transaction', [COUNTER])
    const first = { index: 0, logIndex: 0, cumulativeGasUsed: 1n }
    const moved = { ...bundle, plan: { ...bundle.plan, first } }
    expect(await differenceOf(moved)).toMatchObject({
      kind: 'receipt',
      field: 'cumulativeGasUsed',
    })
  })
})

/** Returns every string below a value, as its owner and key. */
function strings(value: unknown): [Record<string, string>, string][] {
  if (typeof value !== 'object' || value === null) return []
  const owner = value as Record<string, string>
  return Object.keys(owner).flatMap((name) =>
    typeof owner[name] === 'string'
      ? [[owner, name] as [Record<string, string>, string]]
      : strings(owner[name]),
  )
}

describe('a hostile bundle', () => {
  test('leads to a verdict or an error with a code, and the engine stays usable', async () => {
    const original = await digested('block', [COUNTER, CALLER])
    const text = JSON.stringify(encodeBundle(original, { tendermint: [], receipt: [] }))
    let replayed = 0
    // fast-check reports the seed and the change if a case fails
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.nat({ max: 15 }), async (place, at, digit) => {
        const json = JSON.parse(text)
        const found = strings(json)
        const [owner, name] = found[place % found.length] as [Record<string, string>, string]
        const old = owner[name] as string
        const cut = at % (old.length + 1)
        owner[name] = old.slice(0, cut) + digit.toString(16) + old.slice(cut + 1)
        try {
          await replayBundle(decodeBundle(json, keccak256), { engine, signal })
          replayed++
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'LockstepError' })
        }
      }),
      { numRuns: 400 },
    )
    expect(replayed).toBeGreaterThan(100)
    expect((await replayBundle(original, { engine, signal })).difference).toBeUndefined()
  })
})
