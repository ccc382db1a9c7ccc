import { getContractAddress } from 'viem'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { formatData, type Hex } from '../../../../host/base/hex.ts'
import { type OpenOptions, openStepper, replay } from '../../../../host/entry/browser.ts'
import type { EngineModules } from '../../../../host/evm/engine/engine-modules.ts'
import { encodeAccount } from '../../../../host/evm/state/account.ts'
import type { AsyncStateView } from '../../../../host/evm/state/view.ts'
import type { UnsentCall } from '../../../../host/explorer/browser/edit/unsent-call.ts'
import { simulate } from '../../../../host/explorer/browser/simulate.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import { keccak256, repeat } from '../../../support/chain/fake-chain.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import { address, BLOCK } from '../../../support/engine/engine-fixture.ts'
import { LIBRARY_FILES } from '../../../support/trace/library-files.ts'
import { LibraryWorker } from './library-worker.ts'

let modules: EngineModules
beforeAll(async () => {
  modules = await compileEngine()
})

const CODE = address(0x6a)
const FROM = address(0x07)
const WORD = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`
const returning = (...code: readonly (string | number)[]) =>
  assemble(...code, 0, 'MSTORE', 32, 0, 'RETURN')

/** A state with code at one address. The sender has nonce 5 and nothing else; each slot holds 77. */
function stateWith(code: Uint8Array): AsyncStateView {
  const codeHash = keccak256(code)
  const none = keccak256(new Uint8Array(0))
  return {
    account: async (asked) => {
      if (formatData(asked) === formatData(CODE)) {
        return encodeAccount({ nonce: 1n, balance: 0n, codeHash })
      }
      if (formatData(asked) !== formatData(FROM)) return undefined
      return encodeAccount({ nonce: 5n, balance: 0n, codeHash: none })
    },
    storage: async () => repeat(0, 32).with(31, 77),
    code: async () => code,
    blockHash: async () => repeat(9, 32),
  }
}

async function opened(
  code: Uint8Array,
  transaction: Partial<UnsentCall['transaction']> = {},
  block: UnsentCall['changes']['block'] = {},
  options: OpenOptions = { thread: 'page' },
) {
  const call: UnsentCall = {
    block: { env: BLOCK, hash: repeat(1, 32) },
    transaction: { from: formatData(FROM), to: formatData(CODE), ...transaction },
    changes: { block },
  }
  const bundle = await simulate(call, stateWith(code), {
    modules,
    files: LIBRARY_FILES,
    ...options,
  })
  onTestFinished(() => bundle.close())
  return bundle
}

type Outcome = { readonly output?: Hex; readonly error?: string; readonly to?: Hex }

const outcomeOf = async (...given: Parameters<typeof opened>) =>
  (await replay(await opened(...given), { tracer: 'callTracer' })) as Outcome

describe('a call that was never sent', () => {
  test.each([
    ['its sender', returning('CALLER'), {}, {}, WORD(7)],
    ['its calldata', returning(0, 'CALLDATALOAD'), { input: WORD(3) }, {}, WORD(3)],
    ['the state', returning(5, 'SLOAD'), {}, {}, WORD(77)],
    ['the block', returning('NUMBER'), {}, {}, WORD(BLOCK.number)],
    ['a changed block', returning('NUMBER'), {}, { number: 12 }, WORD(12)],
    // As of eth_call, which pays nothing.
    ['no base fee', returning('BASEFEE'), {}, {}, WORD(0)],
    ['a changed base fee', returning('BASEFEE'), {}, { baseFee: 9n }, WORD(9)],
    ['no gas price', returning('GASPRICE'), {}, {}, WORD(0)],
  ])('sees %s', async (_, code, transaction, block, output) => {
    expect((await outcomeOf(code, transaction, block)).output).toBe(output)
  })

  test('creates a contract at the address of the next nonce of its sender', async () => {
    const code = formatData(returning(3))
    const { to } = await outcomeOf(assemble('STOP'), { to: null, input: code })
    expect(to).toBe(getContractAddress({ from: formatData(FROM), nonce: 5n }).toLowerCase())
  })

  test('is stepped like a transaction, in a worker too', async () => {
    const worker = new LibraryWorker()
    const bundle = await opened(returning(5, 'SLOAD'), {}, {}, { worker: () => worker })
    const stepper = await openStepper(bundle, 0)
    expect((await stepper.summary()).output).toBe(WORD(77))
    expect((await stepper.step(1)).name).toBe('SLOAD')
    expect(bundle.assumed).toEqual([])
  })

  test('runs out of gas if it never ends', async () => {
    const endless = assemble('JUMPDEST', 0, 'JUMP')
    expect((await outcomeOf(endless, { gas: 100_000n })).error).toBe('out of gas')
  })

  test('is rejected with its reason if its sender lacks the value', async () => {
    await expect(opened(assemble('STOP'), { value: 1n })).rejects.toMatchObject({
      code: 'TRANSACTION_REJECTED',
      message: expect.stringMatching(/^the transaction is rejected: insufficient funds/),
    })
  })

  test('fails with the error of the state', async () => {
    const call: UnsentCall = {
      block: { env: BLOCK, hash: repeat(1, 32) },
      transaction: { from: formatData(FROM), to: formatData(CODE) },
      changes: {},
    }
    const broken = {
      ...stateWith(assemble('STOP')),
      account: () => Promise.reject(new Error('oops')),
    }
    await expect(simulate(call, broken, { modules, thread: 'page' })).rejects.toThrow('oops')
  })
})
