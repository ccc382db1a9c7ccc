import { expect, onTestFinished, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import type { Hex } from '../../../../../host/base/hex.ts'
import { openBundle } from '../../../../../host/entry/browser.ts'
import type { AsyncStateView } from '../../../../../host/evm/state/view.ts'
import { openEdited } from '../../../../../host/explorer/page/state/open-edited.ts'
import { compileEngine } from '../../../../../host/node/wasm.ts'
import { repeat, transaction } from '../../../../support/chain/fake-chain.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import { address } from '../../../../support/engine/engine-fixture.ts'
import { bundleDocument } from '../../../../support/trace/recorded-bundle.ts'

const modules = await compileEngine()
const GATE = address(0x6a)
const WORD = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Returns the slot given in its call data. Only slot 0 is recorded. */
const READS_SLOT = assemble(0, 'CALLDATALOAD', 'SLOAD', 0, 'MSTORE', 32, 0, 'RETURN')

/** Runs with other call data on the known previous state. Returns the output and the assumed values. */
async function runOver(before: AsyncStateView | undefined) {
  const sent = transaction({ to: GATE, nonce: 0n, gas: 100_000n, maxFeePerGas: 2_000_000_000n })
  const document = await bundleDocument([sent], (view) => {
    view.setAccount(GATE, 1n, 0n, READS_SLOT)
    view.setStorage(GATE, repeat(0, 32), repeat(0, 32).with(31, 9))
  })
  const bundle = await openBundle(document, { modules, thread: 'page' })
  onTestFinished(() => bundle.close())
  const { signal } = new AbortController()
  const change = { kind: 'data', data: WORD(1) } as const
  const edited = await openEdited(bundle, 0, [change], { before, signal })
  onTestFinished(() => edited.bundle.close())
  const { output } = await edited.stepper.summary()
  return { output, assumed: edited.bundle.assumed.length }
}

/** A node whose slots all contain 77. */
const NODE: AsyncStateView = {
  account: async () => undefined,
  code: async () => new Uint8Array(0),
  blockHash: async () => undefined,
  storage: async () => repeat(0, 32).with(31, 77),
}

test('a changed run reads state that the bundle lacks from the node', async () => {
  expect(await runOver(NODE)).toEqual({ output: WORD(77), assumed: 0 })
})

test('a changed run assumes missing values if there is no node or its state is pruned', async () => {
  const pruned = {
    ...NODE,
    storage: () => Promise.reject(new LockstepError('STATE_PRUNED', 'gone')),
  }
  expect(await runOver(undefined)).toEqual({ output: WORD(0), assumed: 1 })
  expect(await runOver(pruned)).toEqual({ output: WORD(0), assumed: 1 })
})

test('a changed run fails with the error of the run itself', async () => {
  const broken = { ...NODE, storage: () => Promise.reject(new Error('oops')) }
  await expect(runOver(broken)).rejects.toThrow('oops')
})
