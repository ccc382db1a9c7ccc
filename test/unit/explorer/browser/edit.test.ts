import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { formatData, type Hex } from '../../../../host/base/hex.ts'
import {
  type Changes,
  type EditOptions,
  edit,
  type OpenBundle,
  openBundle,
  openStepper,
  replay,
  verify,
} from '../../../../host/entry/browser.ts'
import type { EngineModules } from '../../../../host/evm/engine/engine-modules.ts'
import { encodeAccount } from '../../../../host/evm/state/account.ts'
import type { AsyncStateView } from '../../../../host/evm/state/view.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import { repeat, SENDER, transaction } from '../../../support/chain/fake-chain.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import { address } from '../../../support/engine/engine-fixture.ts'
import { LIBRARY_FILES } from '../../../support/trace/library-files.ts'
import { bundleDocument } from '../../../support/trace/recorded-bundle.ts'
import { LibraryWorker } from './library-worker.ts'

/** Compiled once, since loading the files for each bundle takes longer than all tests here. */
let modules: EngineModules
beforeAll(async () => {
  modules = await compileEngine()
})

const GATE = address(0x6a)
const OTHER = address(0x07)
const WORD = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Returns code that returns what `code` leaves on the stack. */
const returning = (...code: readonly (string | number | bigint | Uint8Array)[]) =>
  assemble(...code, 0, 'MSTORE', 32, 0, 'RETURN')

/** Reads slot 5 + n; n is the first word of the call data. */
const READS_SLOT = returning(0, 'CALLDATALOAD', 5, 'ADD', 'SLOAD')

async function open(code: Uint8Array, worker?: LibraryWorker): Promise<OpenBundle> {
  const sent = transaction({ to: GATE, nonce: 0n, gas: 100_000n, maxFeePerGas: 2_000_000_000n })
  const document = await bundleDocument([sent], (view) => {
    view.setAccount(GATE, 1n, 0n, code)
    view.setStorage(GATE, repeat(0, 32).with(31, 5), repeat(0, 32).with(31, 9))
  })
  const options = worker === undefined ? { thread: 'page' as const } : { worker: () => worker }
  const opened = await openBundle(document, { modules, files: LIBRARY_FILES, ...options })
  onTestFinished(() => opened.close())
  return opened
}

/** Returns the output of the changed transaction. */
async function outputOf(
  code: Uint8Array,
  changes: Changes,
  options: EditOptions = {},
): Promise<unknown> {
  const edited = await edit(await open(code), changes, options)
  onTestFinished(() => edited.close())
  const { output } = (await replay(edited, { tracer: 'callTracer' })) as { output: unknown }
  return output
}

const asWord = (text: string): Hex => `0x${text.slice(2).padStart(64, '0')}`

describe('a changed run has the effect of the change and of nothing else', () => {
  const cases: readonly [
    what: string,
    code: Uint8Array,
    before: Hex | undefined,
    changes: Changes,
    now: Hex,
  ][] = [
    ['nothing', READS_SLOT, WORD(9), {}, WORD(9)],
    [
      'call data',
      returning(0, 'CALLDATALOAD'),
      WORD(0),
      { transaction: { input: WORD(77) } },
      WORD(77),
    ],
    ['value', returning('CALLVALUE'), WORD(0), { transaction: { value: 12n } }, WORD(12)],
    [
      'sender',
      returning('CALLER'),
      asWord(formatData(SENDER)),
      { transaction: { from: formatData(OTHER) } },
      WORD(7),
    ],
    [
      'gas limit',
      returning('GAS'),
      // 21000 are spent before, and 2 by GAS.
      WORD(100_000 - 21_002),
      { transaction: { gas: 50_000n } },
      WORD(50_000 - 21_002),
    ],
    [
      'gas price',
      returning('GASPRICE'),
      WORD(2_000_000_000),
      { transaction: { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 5n } },
      WORD(1_000_000_005),
    ],
    [
      'a slot',
      READS_SLOT,
      WORD(9),
      { accounts: [{ address: formatData(GATE), slots: { [WORD(5)]: WORD(11) } }] },
      WORD(11),
    ],
    [
      'a slot that becomes zero',
      READS_SLOT,
      WORD(9),
      { accounts: [{ address: formatData(GATE), slots: { [WORD(5)]: WORD(0) } }] },
      WORD(0),
    ],
    [
      'code',
      READS_SLOT,
      WORD(9),
      { accounts: [{ address: formatData(GATE), code: formatData(returning(3)) }] },
      WORD(3),
    ],
    [
      'a balance',
      returning('SELFBALANCE'),
      WORD(0),
      { accounts: [{ address: formatData(GATE), balance: 5n }] },
      WORD(5),
    ],
    ['the number', returning('NUMBER'), WORD(1000), { block: { number: 2000 } }, WORD(2000)],
    ['the time', returning('TIMESTAMP'), undefined, { block: { timestamp: 99n } }, WORD(99)],
    [
      'the base fee',
      returning('BASEFEE'),
      WORD(1_000_000_000),
      { block: { baseFee: 1n } },
      WORD(1),
    ],
    [
      'the coinbase',
      returning('COINBASE'),
      undefined,
      { block: { coinbase: formatData(OTHER) } },
      WORD(7),
    ],
    ['prevRandao', returning('PREVRANDAO'), undefined, { block: { prevRandao: WORD(6) } }, WORD(6)],
    [
      'the gas limit of the block',
      returning('GASLIMIT'),
      undefined,
      { block: { gasLimit: 17_000_000n } },
      WORD(17_000_000),
    ],
    [
      'the revision',
      // CLZ of EIP-7939 is an invalid opcode before Osaka.
      returning(1, Uint8Array.of(0x1e)),
      WORD(255),
      { block: { revision: 'Prague' } },
      '0x',
    ],
  ]
  test.each(cases)('if the change is %s', async (_, code, before, changes, now) => {
    const first = (await replay(await open(code), { tracer: 'callTracer' })) as { output: Hex }
    if (before === undefined) expect(first.output).not.toBe(now)
    else expect(first.output).toBe(before)
    expect((await outputOf(code, changes)) ?? '0x').toBe(now)
  })
})

test('a changed bundle is complete: it can be compared, traced by every tracer, stepped and changed again', async () => {
  const bundle = await open(READS_SLOT)
  const account = formatData(GATE)
  const edited = await edit(bundle, {
    accounts: [{ address: account, slots: { [WORD(5)]: WORD(1) } }],
  })
  const again = await edit(edited, { transaction: { value: 3n } })
  bundle.close()
  expect(edited.assumed).toEqual([])
  expect(edited.facts.scope).toBe('transaction')
  expect((await verify(edited)).difference).toBeUndefined()
  expect((await verify(again)).difference).toBeUndefined()
  expect(again.transactions[0]).toMatchObject({ value: 3n })
  const prestate = (await replay(again, { tracer: 'prestateTracer' })) as Record<string, unknown>
  expect(prestate[account]).toMatchObject({ storage: { [WORD(5)]: WORD(1) } })
  const stepper = await openStepper(again)
  expect(await stepper.summary()).toMatchObject({ success: true, output: WORD(1) })
  edited.close()
  again.close()
  await expect(stepper.summary()).rejects.toMatchObject({ message: 'the bundle was closed' })
})

describe('state that the recording does not hold', () => {
  const changes: Changes = { transaction: { input: WORD(1) } }

  test('reads as empty, and the result says so', async () => {
    const edited = await edit(await open(READS_SLOT), changes)
    const { output } = (await replay(edited, { tracer: 'callTracer' })) as { output: Hex }
    expect(output).toBe(WORD(0))
    expect(edited.assumed).toEqual([{ kind: 'storage', address: formatData(GATE), slot: WORD(6) }])
    expect((await verify(edited)).difference).toBeUndefined()
    edited.close()
  })

  const asked: string[] = []
  const source: AsyncStateView = {
    account: async (of) => {
      asked.push(formatData(of))
      return encodeAccount({ nonce: 0n, balance: 10n ** 18n, codeHash: repeat(1, 32) })
    },
    storage: async (of, slot) => {
      asked.push(`${formatData(of)} ${formatData(slot)}`)
      return repeat(0, 32).with(31, 42)
    },
    code: async () => Uint8Array.of(),
    blockHash: async () => undefined,
  }

  test.each(['page', 'worker'])('is fetched from a source, in a %s', async (thread) => {
    asked.length = 0
    const bundle = await open(READS_SLOT, thread === 'worker' ? new LibraryWorker() : undefined)
    const edited = await edit(bundle, changes, { source })
    expect(edited.assumed).toEqual([])
    expect(asked).toEqual([`${formatData(GATE)} ${WORD(6)}`])
    // The fetched state is recorded, so that no source is queried again.
    expect(await replay(edited, { tracer: 'callTracer' })).toMatchObject({ output: WORD(42) })
    expect(asked).toHaveLength(1)
    edited.close()
  })

  test.each(['page', 'worker'])('ends the run in a %s if the source fails', async (thread) => {
    const bundle = await open(READS_SLOT, thread === 'worker' ? new LibraryWorker() : undefined)
    const failing = { ...source, storage: () => Promise.reject(new Error('the node is gone')) }
    await expect(edit(bundle, changes, { source: failing })).rejects.toThrow('the node is gone')
    expect(await replay(bundle, { tracer: 'callTracer' })).toMatchObject({ output: WORD(9) })
  })

  test('does not delay an abort signal', async () => {
    const bundle = await open(READS_SLOT, new LibraryWorker())
    const controller = new AbortController()
    const silent = {
      ...source,
      storage: () => {
        controller.abort()
        return new Promise<undefined>(() => {})
      },
    }
    const running = edit(bundle, changes, { source: silent, signal: controller.signal })
    await expect(running).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
    expect(await replay(bundle, { tracer: 'callTracer' })).toMatchObject({ output: WORD(9) })
  })
})

describe('the validity rules of a changed run', () => {
  test('accept any nonce and a sender with code', async () => {
    const code = returning('CALLER')
    const sender = formatData(SENDER)
    expect(await outputOf(code, { transaction: { nonce: 99n } })).toBe(asWord(sender))
    const accounts = [{ address: sender, nonce: 7n, code: '0x00' as Hex }]
    expect(await outputOf(code, { accounts })).toBe(asWord(sender))
  })

  test('charge no fees to a replaced sender and do not check its nonce', async () => {
    const edited = await edit(await open(returning('ORIGIN')), {
      transaction: { from: formatData(OTHER) },
    })
    const summary = await (await openStepper(edited)).summary()
    expect(summary.changes.map(({ address: changed }) => changed)).toEqual([formatData(OTHER)])
    expect(edited.assumed).toEqual([{ kind: 'account', address: formatData(OTHER) }])
    edited.close()
  })

  test.each<[string, Changes, RegExp]>([
    ['more value than there is', { transaction: { value: 10n ** 30n } }, /insufficient funds/],
    ['too little gas', { transaction: { gas: 100n } }, /intrinsic gas too low/],
    ['a base fee above the cap', { block: { baseFee: 10n ** 12n } }, /less than block base fee/],
  ])('refuse %s with the message of a node', async (_, changes, text) => {
    const bundle = await open(READS_SLOT)
    await expect(edit(bundle, changes)).rejects.toMatchObject({
      code: 'TRANSACTION_REJECTED',
      message: expect.stringMatching(text),
    })
  })

  test.each<[Changes, string]>([
    [{ transaction: { from: '0x12' } }, 'transaction.from: want 0x and hex digits of 20 bytes'],
    [{ transaction: { input: '0xzz' } }, 'transaction.input: want 0x and hex digits (invalid'],
    [{ transaction: { value: -1n } }, 'transaction.value: want a bigint of at most 256 bits'],
    [{ transaction: { gas: 1n << 64n } }, 'transaction.gas: want a bigint of at most 64 bits'],
    [{ block: { number: 1.5 } }, 'block.number: want a non-negative integer, got 1.5'],
    [{ block: { revision: 'Moon' as never } }, 'block.revision: want one of Frontier'],
    [{ accounts: [{ address: '0x' }] }, 'accounts[0].address: want 0x and hex digits of 20'],
    [
      { accounts: [{ address: formatData(GATE), slots: { '0x1': WORD(1) } }] },
      'accounts[0].slots: want 0x and hex digits of 32 bytes',
    ],
    [
      { accounts: [{ address: formatData(GATE) }, { address: formatData(GATE) }] },
      'accounts[1].address: want each account once',
    ],
  ])('refuse %o with a message that names the member', async (changes, message) => {
    const bundle = await open(READS_SLOT)
    await expect(edit(bundle, changes)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    })
  })
})

describe('a bundle of a block', () => {
  let bundle: OpenBundle
  beforeAll(async () => {
    // Each call increments slot 0 and returns it.
    const counter = assemble(
      0,
      'SLOAD',
      1,
      'ADD',
      'DUP1',
      0,
      'SSTORE',
      0,
      'MSTORE',
      32,
      0,
      'RETURN',
    )
    const sent = [0n, 1n, 2n].map((nonce) =>
      transaction({ to: GATE, nonce, gas: 100_000n, maxFeePerGas: 2_000_000_000n }),
    )
    const document = await bundleDocument(sent, (view) => view.setAccount(GATE, 1n, 0n, counter))
    bundle = await openBundle(document, { modules, files: LIBRARY_FILES, thread: 'page' })
  })
  afterAll(() => bundle.close())

  test('runs a changed transaction after the unchanged ones before it', async () => {
    const edited = await edit(bundle, { transaction: { gas: 90_000n } }, { transaction: 2 })
    expect(edited.transactions).toMatchObject([{ index: 2, gas: 90_000n }])
    expect(await replay(edited, { tracer: 'callTracer' })).toMatchObject({ output: WORD(3) })
    expect((await verify(edited)).difference).toBeUndefined()
    edited.close()
  })

  test('traces one transaction as debug_traceTransaction does', async () => {
    const one = await replay(bundle, { tracer: 'callTracer', transaction: 1 })
    const all = (await replay(bundle, { tracer: 'callTracer' })) as { result: unknown }[]
    expect(one).toEqual(all[1]?.result)
    expect(one).toMatchObject({ output: WORD(2) })
  })

  test('refuses an index that no transaction has', async () => {
    await expect(edit(bundle, {}, { transaction: 3 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'transaction: want 0 to 2, got 3',
    })
  })
})
