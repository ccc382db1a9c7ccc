import { existsSync } from 'node:fs'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signVariedBlock } from '../support/chain/varied-block.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { ANVIL, type Anvil, startAnvil } from '../support/peer/anvil.ts'
import {
  type AccountDiff,
  type Change,
  comparableSteps,
  type PrestateDiff,
  type Replay,
  type StructLog,
  stateDiffOf,
  type Trace,
  withoutPlace,
  withoutRootGas,
} from '../support/trace/parity-forms.ts'

// Compares the trace_ methods on a new chain with anvil's, and with the debug_ methods for the same transactions.

const COUNT = 120
const CHAIN = 31_337
const SEED = Number(process.env.LOCKSTEP_SEED ?? 1)
const TYPES = ['trace', 'vmTrace', 'stateDiff']

/** anvil's error names that differ from Parity's. */
const ERRORS: Readonly<Record<string, string>> = { OutOfOffset: 'Out of bounds' }

/**
 * Converts anvil's trace to Parity's form. For a failure anvil has a null `result`, which Parity and geth omit, and
 * the address of a contract that was not created.
 */
function asParity({ error, result, ...trace }: Trace): object {
  if (error === undefined) return { ...trace, result }
  const name = ERRORS[error] ?? error
  if (result === null || result === undefined) return { ...trace, error: name }
  const { address: _, ...shown } = result
  return { ...trace, error: name, result: shown }
}

/** anvil includes calls to precompiles, which Parity omits. */
const isPrecompileCall = ({ action }: Trace) => /^0x0{38}/.test(action.to ?? '')

const shownChange = (change: Change) => (change === '=' ? '=' : JSON.stringify(change))

/**
 * Returns the changes of a transaction except balances: the two chains have other fees and fee recipients. An account
 * that only receives wei is created in Parity's form, but changed in anvil's.
 */
function withoutWei(diff: Replay['stateDiff']): object {
  const shown = Object.entries(diff ?? {}).map(([address, { balance: _, ...rest }]) => [
    address,
    rest,
  ])
  const isSame = ({ code, nonce, storage }: Omit<AccountDiff, 'balance'>) =>
    ['=', '{"+":"0x"}'].includes(shownChange(code)) &&
    ['=', '{"+":"0x0"}'].includes(shownChange(nonce)) &&
    Object.keys(storage).length === 0
  return Object.fromEntries(shown.filter(([, rest]) => !isSame(rest as AccountDiff)))
}

if (!existsSync(ANVIL)) {
  console.log('anvil is absent: install bench/peers to hear its opinion of trace_')
}

describe(`trace_ of a varied block, seed ${SEED}`, () => {
  const home = makeHome()
  let daemon: Daemon
  let anvil: Anvil | undefined
  /** In the order of Lockstep's chain. */
  let hashes: Hex[]
  const ask = <T>(method: string, ...params: unknown[]) => call<T>(daemon.ready.rpc, method, params)

  async function mined(hash: Hex): Promise<number> {
    while (true) {
      const receipt = await ask<Record<string, Hex> | null>('eth_getTransactionReceipt', hash)
      if (receipt === null) continue
      return Number(receipt.blockNumber) * 10_000 + Number(receipt.transactionIndex)
    }
  }

  beforeAll(async () => {
    const { deployment, transactions } = await signVariedBlock(CHAIN, COUNT, SEED)
    daemon = await startDaemon({ home, arguments: ['--chain-id', String(CHAIN)] })
    await mined(await ask<Hex>('eth_sendRawTransaction', deployment))
    const sent: { hash: Hex; raw: Hex; place: number }[] = []
    for (const raw of transactions) {
      sent.push({ hash: await ask<Hex>('eth_sendRawTransaction', raw), raw, place: 0 })
    }
    for (const one of sent) one.place = await mined(one.hash)
    sent.sort((a, b) => a.place - b.place)
    hashes = sent.map(({ hash }) => hash)
    if (!existsSync(ANVIL)) return
    anvil = await startAnvil(CHAIN, ['--hardfork', 'prague'])
    for (const raw of [deployment, ...sent.map((one) => one.raw)]) {
      await call(anvil.url, 'eth_sendRawTransaction', [raw])
      await call(anvil.url, 'evm_mine')
    }
  })

  afterAll(async () => {
    await anvil?.stop()
    await daemon?.stop()
    removeHome(home)
  })

  test('has the frames of flatCallTracer, the changes of prestateTracer and the steps of the struct logger', async () => {
    const flatOptions = { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors: true } }
    const diffOptions = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
    let nested = 0
    for (const hash of hashes) {
      const traces = await ask<Trace[]>('trace_transaction', hash)
      const flat = await ask<Trace[]>('debug_traceTransaction', hash, flatOptions)
      expect(traces.map(withoutRootGas), hash).toEqual(flat.map(withoutRootGas))
      const replay = await ask<Replay>('trace_replayTransaction', hash, TYPES)
      expect(replay.trace, hash).toEqual(traces.map(withoutPlace))
      const diff = await ask<PrestateDiff>('debug_traceTransaction', hash, diffOptions)
      expect(replay.stateDiff, hash).toEqual(stateDiffOf(diff))
      const { structLogs } = await ask<{ structLogs: StructLog[] }>('debug_traceTransaction', hash)
      const [ops, steps] = comparableSteps(replay, structLogs)
      expect(ops, hash).toEqual(steps)
      const deepest = traces.at(-1) as Trace
      if (deepest.traceAddress.length === 0) continue
      nested++
      const path = deepest.traceAddress.map((index) => `0x${index.toString(16)}`)
      expect(await ask('trace_get', hash, path)).toEqual(deepest)
    }
    expect(nested).toBeGreaterThan(COUNT / 10)
  })

  test('traces calls that build on each other, and signed transactions without sending them', async () => {
    const from = devAccount(0).address
    const to = `0x${'5e'.repeat(20)}`
    const gift = (wei: number) => [{ from, to, value: `0x${wei}` }, ['trace', 'stateDiff']]
    const [first, second] = await ask<Replay[]>('trace_callMany', [gift(5), gift(3)])
    expect(first?.stateDiff?.[to]?.balance).toEqual({ '+': '0x5' })
    expect(second?.stateDiff?.[to]?.balance).toEqual({ '*': { from: '0x5', to: '0x8' } })
    const [call, types] = gift(5)
    expect(await ask('trace_call', call, types)).toEqual(first)
    const raw = await devAccount(0).signTransaction({
      chainId: CHAIN,
      type: 'legacy',
      nonce: 9_999,
      gas: 21_000n,
      gasPrice: 20_000_000_000n,
      to: to as Hex,
      value: 5n,
    })
    const traced = await ask<Replay>('trace_rawTransaction', raw, types)
    expect(traced.stateDiff?.[to]).toEqual(first?.stateDiff?.[to])
    expect(traced.trace).toMatchObject([{ action: { gas: '0x0', value: '0x5' } }])
    expect(await ask('eth_getBalance', to, 'latest')).toBe('0x0')
  })

  test('finds transactions by address in the index', async () => {
    const head = Number(await ask<Hex>('eth_blockNumber'))
    const all: Trace[] = []
    for (let height = 1; height <= head; height++) {
      all.push(...(await ask<Trace[]>('trace_block', `0x${height.toString(16)}`)))
    }
    const place = all.map(({ transactionHash }) => transactionHash)
    expect(new Set(place.filter((hash) => hashes.includes(hash as Hex)))).toEqual(new Set(hashes))
    const sides = ({ type, action, result }: Trace) => {
      if (type === 'suicide') return [action.address, action.refundAddress]
      return [action.from, type === 'create' ? result?.address : action.to]
    }
    const inner = all.filter(({ traceAddress }) => traceAddress.length > 0)
    const from = [sides(inner[0] as Trace)[0]]
    const to = [...new Set(inner.map((trace) => sides(trace)[1]))].slice(-3)
    expect(to).toHaveLength(3)
    const isFrom = (trace: Trace) => from.includes(sides(trace)[0])
    const isTo = (trace: Trace) => to.includes(sides(trace)[1])
    const find = (filter: object) => ask<Trace[]>('trace_filter', filter)
    const both = { fromAddress: from, toAddress: to }
    expect(await find({ fromAddress: from })).toEqual(all.filter(isFrom))
    expect(await find({ toAddress: to })).toEqual(all.filter(isTo))
    expect(await find(both)).toEqual(all.filter((trace) => isFrom(trace) || isTo(trace)))
    const narrow = all.filter((trace) => isFrom(trace) && isTo(trace))
    expect(narrow.length).toBeGreaterThan(1)
    expect(await find({ ...both, mode: 'intersection' })).toEqual(narrow)
    expect(await find({ ...both, mode: 'intersection', after: 1, count: 2 })).toEqual(
      narrow.slice(1, 3),
    )
    expect(await find({ fromAddress: [`0x${'de'.repeat(20)}`] })).toEqual([])
  })

  test.skipIf(!existsSync(ANVIL))(
    'has the same traces and changes as anvil',
    async () => {
      const theirs = anvil?.url as string
      let compared = 0
      for (const hash of hashes) {
        const mine = await ask<Trace[]>('trace_transaction', hash)
        const yours = await call<Trace[]>(theirs, 'trace_transaction', [hash])
        if (!yours.some(isPrecompileCall)) {
          expect(mine.map(withoutPlace), hash).toEqual(yours.map(withoutPlace).map(asParity))
          compared++
        }
        const number = `0x${yours[0]?.blockNumber?.toString(16)}`
        const changes = ['stateDiff']
        const replay = await ask<Replay>('trace_replayTransaction', hash, changes)
        const [other] = await call<Replay[]>(theirs, 'trace_replayBlockTransactions', [
          number,
          changes,
        ])
        expect(withoutWei(replay.stateDiff), hash).toEqual(withoutWei(other?.stateDiff ?? null))
      }
      expect(compared).toBeGreaterThan(0.8 * COUNT)
    },
    120_000,
  )
})
