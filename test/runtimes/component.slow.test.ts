import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, describe, expect, test } from 'vitest'
import { bytesToBigint } from '../../host/base/bytes.ts'
import { Engine } from '../../host/evm/engine/engine.ts'
import { MESSAGE_FLAG } from '../../host/evm/engine/generated/message-flag.ts'
import { REJECTIONS } from '../../host/evm/engine/generated/rejection.ts'
import { STATUS } from '../../host/evm/engine/generated/status.ts'
import { EngineMemory } from '../../host/evm/engine/memory.ts'
import type { TransactionInput } from '../../host/evm/engine/message.ts'
import { openEngineModule } from '../../host/evm/engine/module.ts'
import type { Outcome } from '../../host/evm/engine/outcome.ts'
import { Pairing } from '../../host/evm/engine/pairing.ts'
import { withPrecompileAccounts } from '../../host/evm/execute/lockstep/precompile-accounts.ts'
import { bankWrites } from '../../host/evm/modules/bank-rows.ts'
import { allocationDiff } from '../../host/evm/state/allocation.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import type { StateView } from '../../host/evm/state/view.ts'
import { readModule } from '../../host/node/wasm.ts'
import { wrapEngine, writeComponent } from '../../tools/component.ts'
import { scanModule } from '../../tools/scan-wasm.ts'
import { detach, readSections, SECTION } from '../../tools/wasm-module.ts'
import { openState } from '../fuzz/lockstep.ts'
import { generateScenario, toInput } from '../fuzz/scenario.ts'
import { BENCH_CASES, type BlockJob, benchJob } from '../support/engine/bench-cases.ts'
import { assemble } from '../support/engine/bytecode.ts'
import {
  blockRecord,
  ComponentEngine,
  type EngineInterface,
  transactionRecord,
} from '../support/engine/component-engine.ts'
import {
  address,
  BLOCK,
  executed,
  SENDER,
  stateWith,
  transaction,
} from '../support/engine/engine-fixture.ts'
import { toBech32 } from '../support/module/bech32-model.ts'
import { callData, precompile } from '../support/module/module-bench.ts'

type Instantiate = (
  getCoreModule: (path: string) => Promise<WebAssembly.Module>,
  imports: object,
) => Promise<{ readonly engine: EngineInterface }>

const FUEL = 1 << 17
const TRACE_ALL =
  MESSAGE_FLAG.traceCalls |
  MESSAGE_FLAG.traceLogs |
  MESSAGE_FLAG.traceSteps |
  MESSAGE_FLAG.traceState |
  MESSAGE_FLAG.traceStack |
  MESSAGE_FLAG.traceMemory

const source = await readModule('engine')
const pairing = new WebAssembly.Module(await readModule('pairing'))
const PAIRING = new Pairing(pairing)
const chainModules = new WebAssembly.Module(await readModule('modules'))
const component = await wrapEngine(source)
const folder = await mkdtemp(join(tmpdir(), 'component-'))
await writeComponent(folder, component)
const entry = pathToFileURL(join(folder, 'component/engine.js')).href
const { instantiate } = (await import(/* @vite-ignore */ entry)) as { instantiate: Instantiate }

afterAll(() => rm(folder, { recursive: true }))

async function openComponent(): Promise<EngineInterface> {
  const load = async (path: string) =>
    new WebAssembly.Module(new Uint8Array(await readFile(join(folder, 'component', path))))
  return (await instantiate(load, {})).engine
}

/** Returns a hash to compare, since comparing megabytes of trace byte by byte takes seconds. */
function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Returns an outcome with its logs as an own property, as the component returns it. */
function asProperties(outcome: Outcome): Outcome {
  return outcome.kind === 'rejected'
    ? outcome
    : { ...outcome, logs: outcome.logs, logRecords: undefined }
}

/** Runs a block on the core module: outcomes, diff, and the trace bytes in memory. */
async function runCore({ env, inputs, openState }: BlockJob, flags: number) {
  const { exports } = await openEngineModule(source)
  const memory = new EngineMemory(exports.memory)
  const traces: Uint8Array[] = []
  const watched = {
    ...exports,
    beginTransaction() {
      const at = exports.messageAt.value + 4
      memory.setU32(at, memory.u32(at) | flags)
      exports.beginTransaction()
    },
    run(fuel: number) {
      const status = exports.run(fuel)
      if (status === STATUS.done || status === STATUS.traceFull) {
        traces.push(memory.copy(exports.traceAt.value, exports.traceLength()))
      }
      return status
    },
  }
  const engine = new Engine(watched, { pairing, chainModules, fuel: FUEL })
  const view = openState()
  engine.beginBlock(env)
  const outcomes = inputs.map((input) =>
    asProperties(answerFrom(engine.transact(input, { recordAccess: true }), view)),
  )
  return { outcomes, diff: engine.diff(), traces: traces.map(digest) }
}

/** Runs a block on the component and returns the same. */
async function runComponent(
  { env, inputs, openState }: BlockJob,
  flags: number,
  given?: ComponentEngine,
) {
  const engine = given ?? new ComponentEngine(await openComponent(), PAIRING, FUEL, chainModules)
  const traces: Uint8Array[] = []
  const view = openState()
  engine.beginBlock(env)
  const outcomes = inputs.map((input) => answerFrom(engine.transact(input, flags, traces), view))
  return { outcomes, diff: engine.diff(), traces: traces.map(digest) }
}

async function expectEqualRuns(job: BlockJob, flags = 0): Promise<void> {
  const expected = await runCore(job, flags)
  expect(await runComponent(job, flags)).toEqual(expected)
}

/** Returns a job with one message in BLOCK to CONTRACT with `code`. */
function callJob(code: Uint8Array, fields: Partial<TransactionInput> = {}): BlockJob {
  return { env: BLOCK, inputs: [transaction(fields)], openState: () => stateWith(code) }
}

/** Returns a job that pays its value to a bech32 address, fails to do so again without value, and asks for a supply. */
function chainJob(): BlockJob {
  const send = callData('bank', 'sendNative', [toBech32('sei', address(0x77))])
  const supply = callData('bank', 'supply', ['usei'])
  const bank = bytesToBigint(precompile('bank'))
  const put = (data: Uint8Array) =>
    Array.from({ length: Math.ceil(data.length / 32) }, (_, i) => {
      const word = new Uint8Array(32)
      word.set(data.subarray(32 * i, 32 * i + 32))
      return [bytesToBigint(word), 32 * i, 'MSTORE'] as const
    }).flat()
  const call = (size: number, ...value: (string | number)[]) =>
    [0, 0, size, 0, ...value, bank, 'GAS', 'CALL', 'POP'] as const
  const code = assemble(
    ...put(send),
    ...call(send.length, 'CALLVALUE'),
    ...call(send.length, 0),
    ...put(supply),
    ...call(supply.length, 0),
    ...['RETURNDATASIZE', 0, 0, 'RETURNDATACOPY', 32, 0, 'RETURN'],
  )
  return {
    env: { ...BLOCK, revision: 'Prague', chainPrecompiles: true },
    inputs: [transaction({ value: 5n })],
    openState: () => {
      const state = stateWith(code)
      const accounts = withPrecompileAccounts([])
      state.apply(allocationDiff(accounts, keccak_256))
      for (const { key, value } of bankWrites({ accounts: [{ balance: 10n ** 18n }] } as never)
        .writes) {
        state.setStorage(precompile('bank'), key, value ?? new Uint8Array(32))
      }
      return state
    },
  }
}

describe('the component', () => {
  test.each([0, TRACE_ALL])(
    "answers calls of the chain's precompiles as the core module does, with trace flags %i",
    async (flags) => {
      const job = chainJob()
      const { outcomes, diff } = await runCore(job, flags)
      expect(outcomes).toMatchObject([{ kind: 'executed', success: true }])
      const [outcome] = outcomes
      if (outcome?.kind !== 'executed') throw new Error('not executed')
      expect(bytesToBigint(outcome.output)).toBe(1_000_000n)
      // The sender and the payee: the contract and the bank forward the value
      expect(diff.accounts.length / 92).toBe(2)
      await expectEqualRuns(job, flags)
    },
  )

  test('contains engine.wasm, followed by its own functions', () => {
    const core = component.files['engine.core.wasm'] as Uint8Array
    const [last, ...others] = readSections(core).toReversed()
    expect(last?.id).toBe(SECTION.custom)
    expect(others.some(({ id }) => id === SECTION.custom)).toBe(false)

    const without = detach(core, component.additions)
    expect(Buffer.compare(without.subarray(0, source.length), source)).toBe(0)
    expect(without.length - source.length).toBe((last?.content.length ?? 0) + 2)
  })

  test('has no imports and computes only with integers', () => {
    const { imports, breaches } = scanModule(component.files['engine.core.wasm'] as Uint8Array)
    expect([imports, breaches]).toEqual([[], []])
  })
})

describe('the component gives the same results as the core module', () => {
  test.each([
    ['', 0],
    [', traced', TRACE_ALL],
  ])('for generated blocks%s', async (_, flags) => {
    for (let seed = 70_000; seed < 70_010; seed++) {
      const scenario = generateScenario(seed)
      const inputs = scenario.transactions.map(toInput)
      const job = { env: scenario.env, inputs, openState: () => openState(scenario) }
      await expectEqualRuns(job, flags)
    }
  })

  test.each(BENCH_CASES)('for the benchmark $name', async (row) => {
    await expectEqualRuns(benchJob(row))
  })

  test('for logs, storage and created contracts', async () => {
    const returnOneByte = 0x60015ff3
    const code = assemble(
      ...[0x2222, 0x1111, 40, 3, 'LOG2', 0, 0, 'LOG0', 7, 9, 'SSTORE'],
      ...[returnOneByte, 0, 'MSTORE', 4, 28, 0, 'CREATE', 0, 'MSTORE', 32, 0, 'RETURN'],
    )
    const job = callJob(code)
    const { outcomes, diff } = await runCore(job, 0)
    expect(outcomes[0]).toMatchObject({ success: true, logs: [{}, {}] })
    expect([diff.storage.length, diff.codes.length]).toEqual([84, 1])
    await expectEqualRuns(job)
  })

  test('for a precompile that the host computes', async () => {
    const call = assemble(128, 0, 64, 0, 0x10, 'GAS', 'STATICCALL', 'POP', 128, 0, 'RETURN')
    const job = callJob(call)
    const [outcome] = (await runCore(job, 0)).outcomes
    expect(outcome).toMatchObject({ success: true })
    expect(executed(outcome as Outcome).output.some((byte) => byte !== 0)).toBe(true)
    await expectEqualRuns(job)
  })

  test('for a message that runs in many slices of fuel', async () => {
    // 30,000 rounds of a loop whose JUMPDEST is at 3
    const code = assemble(30_000, 'JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', 3, 'JUMPI', 'STOP')
    const component = await openComponent()
    let yields = 0
    const counted = {
      ...component,
      run(fuel: number) {
        const stop = component.run(fuel)
        if (stop.tag === 'yield') yields++
        return stop
      },
    }
    const engine = new ComponentEngine(counted, PAIRING, 1000)
    expect(await runComponent(callJob(code), 0, engine)).toEqual(await runCore(callJob(code), 0))
    expect(yields).toBe(29)
  })

  test('for a message with more data than any response', async () => {
    const data = new Uint8Array(3 << 20)
    const job = callJob(assemble('CALLDATASIZE', 0, 'SSTORE'), { data, gas: 50_000_000n })
    const prague = { ...job, env: { ...BLOCK, revision: 'Prague' } } as const
    expect((await runCore(prague, 0)).outcomes[0]).toMatchObject({ success: true })
    await expectEqualRuns(prague)
  })
})

describe('the protocol of engine.wit', () => {
  const stop = assemble('STOP')

  /** Returns a component whose message waits for the sender's account. */
  async function waiting() {
    const engine = await openComponent()
    expect(engine.beginBlock(blockRecord(BLOCK))).toBe(true)
    expect(engine.beginTransaction(transactionRecord(transaction()))).toBe(true)
    expect(engine.run(FUEL)).toEqual({ tag: 'need-account', val: SENDER })
    return engine
  }

  /** Continues to the end on a state without accounts. */
  function runToEnd(engine: EngineInterface): void {
    while (engine.run(FUEL).tag !== 'done') {
      if (!engine.answer(new Uint8Array(0))) throw new Error('answer refused')
    }
  }

  test('refuses a block whose lists have a wrong length', async () => {
    const engine = await openComponent()
    const block = blockRecord(BLOCK)
    expect(engine.beginBlock({ ...block, coinbase: new Uint8Array(19) })).toBe(false)
    expect(engine.beginBlock({ ...block, prevRandao: new Uint8Array(33) })).toBe(false)
    expect(engine.beginBlock(block)).toBe(true)
  })

  test('refuses a message that is too long or whose lists have a wrong length', async () => {
    const engine = await waiting()
    const authorization = {
      ...{ chainId: 1n, nonce: 0n, yParity: 0n, r: 1n, s: 1n },
      address: SENDER,
    }
    const whole = transactionRecord(
      transaction({
        type: 4,
        data: stop,
        accessList: [{ address: SENDER, storageKeys: [new Uint8Array(32)] }],
        blobHashes: [new Uint8Array(32)],
        authorizations: [authorization],
      }),
    )
    expect(engine.beginTransaction(whole)).toBe(true)
    const [entry] = whole.accessList
    const [signed] = whole.authorizations
    if (entry === undefined || signed === undefined) throw new Error('nothing to change')
    const odd = new Uint8Array(31)
    for (const changed of [
      { sender: odd },
      { to: odd },
      { blobHashes: odd },
      { accessList: [{ ...entry, address: odd }] },
      { accessList: [entry, { ...entry, storageKeys: odd }] },
      { authorizations: [{ ...signed, r: odd }] },
      { authorizations: [signed, { ...signed, s: odd }] },
      { authorizations: [{ ...signed, address: odd }] },
      { data: new Uint8Array((8 << 20) - 200) },
      { data: new Uint8Array(7 << 20), accessList: Array(25_000).fill(entry) },
    ]) {
      expect(engine.beginTransaction({ ...whole, ...changed }), Object.keys(changed).join()).toBe(
        false,
      )
      expect(engine.run(FUEL)).toEqual({ tag: 'misuse' })
    }
    expect(engine.beginTransaction(whole)).toBe(true)
  })

  test('refuses an answer of the wrong size, and accepts the right one afterwards', async () => {
    const engine = await waiting()
    expect(engine.answer(new Uint8Array(71))).toBe(false)
    expect(engine.answerHostCall('succeeded', 0n, new Uint8Array(0))).toBe(false)
    expect(engine.answer(new Uint8Array(0))).toBe(true)
    expect(engine.answer(new Uint8Array(0))).toBe(false)
    runToEnd(engine)
    const insufficientFunds = REJECTIONS.indexOf('insufficientFunds') + 1
    expect(engine.outcome()).toMatchObject({ rejection: insufficientFunds, logs: [] })
  })

  test('drops the message after a run without an answer, an answer of over 2 MiB, abandon or diff', async () => {
    for (const end of [
      (engine: EngineInterface) => engine.run(FUEL),
      (engine: EngineInterface) => engine.answer(new Uint8Array((2 << 20) + 1)),
      (engine: EngineInterface) => engine.abandon(),
      (engine: EngineInterface) => engine.diff(),
    ]) {
      const engine = await waiting()
      end(engine)
      expect(engine.answer(new Uint8Array(0))).toBe(false)
      expect(engine.run(FUEL)).toEqual({ tag: 'misuse' })
      expect(engine.outcome()).toBeUndefined()
      expect(engine.beginTransaction(transactionRecord(transaction()))).toBe(true)
      expect(engine.run(FUEL)).toEqual({ tag: 'need-account', val: SENDER })
    }
  })

  test('returns the outcome of a finished message until the next begins', async () => {
    const engine = await waiting()
    expect(engine.outcome()).toBeUndefined()
    engine.answer(new Uint8Array(0))
    runToEnd(engine)
    const outcome = engine.outcome()
    expect(outcome).toBeDefined()
    engine.diff()
    engine.accessed()
    expect(engine.outcome()).toEqual(outcome)
    engine.beginTransaction(transactionRecord(transaction()))
    expect(engine.outcome()).toBeUndefined()
  })

  test('returns the payload of a trace record', async () => {
    const component = await openComponent()
    const payloads: Uint8Array[] = []
    const reading = {
      ...component,
      trace() {
        const bytes = component.trace()
        // The record of the message's frame entry (assembly/trace/trace-buffer.ts)
        const record = new DataView(bytes.buffer, bytes.byteOffset)
        if (bytes.length > 0 && record.getUint32(0, true) === 1) {
          payloads.push(component.payload(record.getUint32(68, true), record.getUint32(72, true)))
        }
        return bytes
      },
    }
    const engine = new ComponentEngine(reading, PAIRING, FUEL)
    const data = Uint8Array.from({ length: 5000 }, (_, i) => i)
    engine.beginBlock(BLOCK)
    answerFrom(engine.transact(transaction({ data }), MESSAGE_FLAG.traceCalls), stateWith(stop))
    expect(payloads).toEqual([data])
  })

  test('requests code again after it was forgotten', async () => {
    const component = await openComponent()
    const engine = new ComponentEngine(component, PAIRING, FUEL)
    const state = stateWith(stop)
    let reads = 0
    const counting: StateView = {
      account: (address) => state.account(address),
      storage: (address, slot) => state.storage(address, slot),
      code(codeHash) {
        reads++
        return state.code(codeHash)
      },
      blockHash: (number) => state.blockHash(number),
    }
    const counts = [false, false, true].map((isForgotten) => {
      if (isForgotten) component.forgetCode()
      engine.beginBlock(BLOCK)
      answerFrom(engine.transact(transaction()), counting)
      return reads
    })
    expect(counts).toEqual([1, 1, 2])
  })
})
