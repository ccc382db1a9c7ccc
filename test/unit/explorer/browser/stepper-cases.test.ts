import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../../../host/base/bytes.ts'
import { formatData, type Hex } from '../../../../host/base/hex.ts'
import type { UnsignedTransaction } from '../../../../host/evm/chain-types/transaction-codec.ts'
import type { BlockEnv } from '../../../../host/evm/engine/message.ts'
import type { CheckpointLimits } from '../../../../host/explorer/browser/step/checkpoint-list.ts'
import { openRunStepper } from '../../../../host/explorer/browser/step/run-stepper.ts'
import type { Stepper } from '../../../../host/explorer/browser/step/stepper.ts'
import type { TestState } from '../../../support/chain/test-state.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  CONTRACT,
  engineInBlock,
  SENDER,
  stateWith,
} from '../../../support/engine/engine-fixture.ts'
import { call, recordedBundle } from '../../../support/trace/recorded-bundle.ts'

const CALLEE = address(0x3333)
const CALLEE_WORD = bytesToBigint(CALLEE)
const self = formatData(CONTRACT)
const word = (value: number): Hex => formatData(bigintToBytes(BigInt(value), 32))

interface Options {
  readonly env?: Partial<BlockEnv>
  readonly fields?: Partial<UnsignedTransaction>
  readonly checkpoints?: CheckpointLimits
}

async function stepperOn(
  state: TestState,
  { env = {}, fields = {}, checkpoints = { interval: 3 } }: Options = {},
): Promise<Stepper> {
  const bundle = await recordedBundle(await engineInBlock(), state, [call(fields)], { env })
  return openRunStepper({ bundle, engine: await engineInBlock(), checkpoints })
}

/** Returns a state with code at CONTRACT and CALLEE. */
function pair(contract: Uint8Array, callee: Uint8Array): TestState {
  const state = stateWith(contract)
  state.setAccount(CALLEE, 1n, 0n, callee)
  return state
}

/** Returns the step at which an opcode runs for the n-th time. */
async function stepOf(stepper: Stepper, name: string, nth = 0): Promise<number> {
  const rows = await stepper.rows(0, 10_000)
  return rows.filter((row) => row.name === name)[nth]?.index as number
}

const writerOf = (stepper: Stepper, slot: number, at: number, of = self) =>
  stepper.lastWriter({ kind: 'slot', address: of, slot: word(slot) }, at)

describe('the stepper', () => {
  test('shows a slot that a DELEGATECALL wrote in the storage of the caller', async () => {
    const caller = assemble(0, 0, 0, 0, CALLEE_WORD, 50_000, 'DELEGATECALL', 1, 'SLOAD', 'STOP')
    const stepper = await stepperOn(pair(caller, assemble(9, 1, 'SSTORE', 'STOP')))
    const write = await stepOf(stepper, 'SSTORE')
    const end = await stepOf(stepper, 'STOP', 1)
    expect(await writerOf(stepper, 1, end)).toBe(write)
    expect(await writerOf(stepper, 1, end, formatData(CALLEE))).toBeUndefined()
    const inside = await stepper.step(write)
    expect([inside.address, inside.codeAddress]).toEqual([self, formatData(CALLEE)])
    expect((await stepper.step(end)).stack).toEqual([1n, 9n])
  })

  test('finds the write before one that a revert undid', async () => {
    const caller = assemble(
      ...[5, 1, 'SSTORE', 0, 0, 0, 0, CALLEE_WORD, 50_000, 'DELEGATECALL', 'POP', 'STOP'],
    )
    const stepper = await stepperOn(pair(caller, assemble(9, 1, 'SSTORE', 0, 0, 'REVERT')))
    const [first, second] = [await stepOf(stepper, 'SSTORE'), await stepOf(stepper, 'SSTORE', 1)]
    expect(await writerOf(stepper, 1, await stepOf(stepper, 'REVERT'))).toBe(second)
    const after = await stepOf(stepper, 'POP')
    expect(await writerOf(stepper, 1, after)).toBe(first)
    const { storage, changed } = await stepper.step(after)
    expect(storage).toEqual([{ slot: word(1), value: word(5), original: word(0) }])
    expect(changed.storage).toEqual([])
  })

  test('shows a slot that an inner frame of the same contract wrote', async () => {
    // Without call data it makes CALLEE call it back with one byte, and then writes slot 1.
    const contract = assemble(
      ...['CALLDATASIZE', 24, 'JUMPI', 0, 0, 0, 0, 0, 0x3333, 'GAS', 'CALL', 'POP'],
      ...[1, 'SLOAD', 'STOP', 'JUMPDEST', 7, 1, 'SSTORE', 'STOP'],
    )
    const callBack = assemble(0, 0, 1, 0, 0, 0x2222, 'GAS', 'CALL', 'STOP')
    const stepper = await stepperOn(pair(contract, callBack))
    const write = await stepOf(stepper, 'SSTORE')
    expect((await stepper.step(write)).depth).toBe(3)
    const after = await stepOf(stepper, 'POP')
    expect(await writerOf(stepper, 1, after)).toBe(write)
    expect((await stepper.step(after)).changed.storage).toEqual([word(1)])
  })

  test('shows the initcode and the code of a contract that the transaction creates', async () => {
    // Deploys one zero byte as code: STOP.
    const initcode = assemble(1, 0, 'RETURN')
    const contract = assemble(
      ...[bytesToBigint(initcode), 0, 'MSTORE', initcode.length, 32 - initcode.length, 0, 'CREATE'],
      ...[0, 0, 0, 0, 0, 'DUP6', 'GAS', 'CALL', 'STOP'],
    )
    const stepper = await stepperOn(stateWith(contract))
    const calls = await stepper.calls()
    expect(calls.map(({ type }) => type)).toEqual(['CALL', 'CREATE', 'CALL'])
    const created = await stepper.step(calls[1]?.firstStep as number)
    expect(await stepper.code(created.codeHash)).toEqual(initcode)
    const called = await stepper.step(calls[2]?.firstStep as number)
    expect([called.name, called.address]).toEqual(['STOP', calls[1]?.to])
    expect(await stepper.code(called.codeHash)).toEqual(new Uint8Array(1))
  })

  test('names the account whose code runs through a delegation (EIP-7702)', async () => {
    const state = pair(concatBytes([Uint8Array.of(0xef, 1, 0), CALLEE]), assemble(3, 1, 'SSTORE'))
    const stepper = await stepperOn(state)
    const { address: of, codeAddress, codeHash } = await stepper.step(2)
    expect([of, codeAddress]).toEqual([self, formatData(CALLEE)])
    expect(await stepper.code(codeHash)).toEqual(assemble(3, 1, 'SSTORE'))
    expect((await stepper.calls())[0]).toMatchObject({ to: self, codeAddress })
  })

  test('shows the code of a contract that is destroyed at the end of the transaction', async () => {
    const caller = assemble(0, 0, 0, 0, 0, CALLEE_WORD, 50_000, 'CALL', 'STOP')
    const callee = assemble(0, 'SELFDESTRUCT')
    const stepper = await stepperOn(pair(caller, callee), { env: { revision: 'London' } })
    const { codeHash } = await stepper.step(await stepOf(stepper, 'SELFDESTRUCT'))
    expect(await stepper.code(codeHash)).toEqual(callee)
  })

  test('shows transient storage and finds the step that wrote it', async () => {
    const stepper = await stepperOn(
      stateWith(assemble(8, 2, 'TSTORE', 2, 'TLOAD', 3, 'TLOAD', 'STOP')),
    )
    const end = await stepOf(stepper, 'STOP')
    expect((await stepper.step(end)).transient).toEqual([
      { slot: word(2), value: word(8), original: word(0) },
      { slot: word(3), value: word(0), original: word(0) },
    ])
    expect(await stepper.lastWriter({ kind: 'transient', address: self, slot: word(2) }, end)).toBe(
      2,
    )
  })

  test('steps the chosen transaction of a block after the ones before it', async () => {
    const counter = assemble(0, 'SLOAD', 1, 'ADD', 0, 'SSTORE', 'STOP')
    const both = [call(), call({ nonce: 1n })]
    const bundle = await recordedBundle(await engineInBlock(), stateWith(counter), both)
    const stepper = openRunStepper({ bundle, index: 1, engine: await engineInBlock() })
    const { storage } = await stepper.step(6)
    expect(storage).toEqual([{ slot: word(0), value: word(2), original: word(1) }])
    const { changes } = await stepper.summary()
    expect(changes.map(({ address: of }) => of)).toContain(formatData(SENDER))
    expect(changes.find(({ address: of }) => of === self)?.slots).toEqual([
      { slot: word(0), before: word(1), after: word(2) },
    ])
  })

  test('shows a revert of Error(string) with its reason', async () => {
    const text = 'too late'
    const output = concatBytes([
      Uint8Array.of(0x08, 0xc3, 0x79, 0xa0),
      bigintToBytes(32n, 32),
      bigintToBytes(BigInt(text.length), 32),
      new TextEncoder().encode(text.padEnd(32, '\0')),
    ])
    // It reverts with its call data.
    const echo = assemble('CALLDATASIZE', 0, 0, 'CALLDATACOPY', 'CALLDATASIZE', 0, 'REVERT')
    const stepper = await stepperOn(stateWith(echo), { fields: { data: output } })
    const { fault, success } = await stepper.summary()
    expect(success).toBe(false)
    expect(fault).toMatchObject({ error: 'execution reverted', reason: text, step: 6 })
  })
})

/** Some hundred thousand steps that repeatedly overwrite a megabyte of memory. */
const BUSY = assemble(
  ...[0x1004000, 'JUMPDEST', 'DUP1', 'DUP1', 5, 'SHL', 0xfffe0, 'AND', 'MSTORE'],
  ...[1, 'SWAP1', 'SUB', 'DUP1', 0xffffff, 'AND', 5, 'JUMPI', 'STOP'],
)
const BUSY_GAS = { fields: { gas: 50_000_000n }, env: { revision: 'Cancun' } } as const

describe('a stepper of a long transaction', () => {
  test('drops checkpoints that would take too much memory and still shows every step', async () => {
    const checkpoints = { interval: 1000, bytes: 4_000_000 }
    const stepper = await stepperOn(stateWith(BUSY), { ...BUSY_GAS, checkpoints })
    const { steps } = await stepper.summary()
    for (const index of [20_000, steps >> 1, steps - 100]) {
      const { memory, stack } = await stepper.step(index)
      const turn = Number((stack[0] as bigint) & 0x7fffn)
      const at = (one: number) => bytesToBigint(memory.subarray(32 * one, 32 * one + 32))
      // The counter descends, and each turn writes its own word.
      expect([at(turn - 1), at(turn + 1)]).toEqual([0n, 0x1000000n + BigInt(turn + 1)])
    }
  })

  test('ends a search when its signal aborts and answers the next question', async () => {
    const stepper = await stepperOn(stateWith(BUSY), { ...BUSY_GAS, checkpoints: {} })
    const { steps } = await stepper.summary()
    const ending = new AbortController()
    const search = stepper.find([{ opcode: 'SELFDESTRUCT' }], 0, 'forward', {
      signal: ending.signal,
    })
    ending.abort()
    await expect(search).rejects.toThrow('aborted')
    expect(await stepper.find([{ opcode: 'STOP' }], 0, 'forward')).toEqual({
      ...{ index: steps - 1, which: 0 },
    })
  })

  test('reports the progress of a search', async () => {
    const stepper = await stepperOn(stateWith(BUSY), { ...BUSY_GAS, checkpoints: {} })
    const { steps } = await stepper.summary()
    const reached: number[] = []
    const onProgress = (step: number) => void reached.push(step)
    for (let i = 0; i < 20 && reached.length === 0; i++) {
      await stepper.find([{ opcode: 'SELFDESTRUCT' }], 0, 'forward', { onProgress })
    }
    expect(reached.length).toBeGreaterThan(0)
    for (const step of reached) expect(step).toBeLessThanOrEqual(steps)
  })

  test('refuses questions once it is closed', async () => {
    const stepper = await stepperOn(stateWith(BUSY), { ...BUSY_GAS, checkpoints: {} })
    await stepper.close()
    await expect(stepper.step(0)).rejects.toThrow('the stepper was closed')
  })
})
