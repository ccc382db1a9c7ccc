import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Comet38Client } from '@cosmjs/tendermint-rpc'
import {
  createWalletClient,
  decodeEventLog,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  publicActions,
  toHex,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hexDigits, parseData } from '../../host/base/hex.ts'
import { openReplayer } from '../../host/entry/replay.ts'
import { compile } from '../support/contracts/solidity.ts'
import { Signer } from '../support/module/signer.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { verifyQuery } from '../support/node/light-client.ts'
import { ONLY_PROGRESS } from '../support/node/progress-lines.ts'
import { viemChain } from '../support/node/viem-chain.ts'

// A node with a split state runs a chain with a denomination, its pointer, and contracts that call each precompile.
// Bundles recorded from it are replayed without the node.

const contracts = compile('Pointer.sol')
const POINTER = contracts.get('Pointer') ?? { abi: [], bytecode: '0x' as const }
const CALLER = contracts.get('Caller') ?? { abi: [], bytecode: '0x' as const }

const owner = devAccount(0)
const friend = devAccount(1)
const pointer = getContractAddress({ from: owner.address, nonce: 0n })
const caller = getContractAddress({ from: owner.address, nonce: 1n })
const BANK = '0x0000000000000000000000000000000000001001'
const signer = new Signer('associated by a contract')
const forwarded = new Signer('paid by a contract')

const TRACERS: readonly (readonly [name: string, config: object])[] = [
  ['opcodeTracer', { enableMemory: true, enableReturnData: true }],
  ['callTracer', { withLog: true }],
  ['prestateTracer', {}],
  ['prestateTracer', { diffMode: true }],
  ['flatCallTracer', {}],
  ['4byteTracer', {}],
  [
    `{ data: [], fault: function () {}, step: function (log, db) {
      if (log.op.toString() === 'CALL') this.data.push(db.getBalance(log.contract.getAddress()).toString())
    }, enter: function (frame) { this.data.push(toHex(frame.getTo())) }, exit: function (end) {
      this.data.push(end.getGasUsed())
    }, result: function () { return this.data } }`,
    {},
  ],
  ['muxTracer', { callTracer: {}, prestateTracer: {} }],
]

const folder = makeHome()
const recorded = join(folder, 'recorded')

const onPointer = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: POINTER.abi, functionName, args })
const onCaller = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: CALLER.abi, functionName, args })

/** Each in its own block, in this order. */
const TRANSACTIONS: Readonly<Record<string, object>> = {
  pointer: { data: encodeDeployData({ ...POINTER, args: ['uatom'] }) },
  caller: { data: encodeDeployData({ ...CALLER, args: [] }) },
  approve: { to: pointer, data: onPointer('approve', [friend.address, 500n]) },
  transfer: { to: pointer, data: onPointer('transfer', [friend.address, 250n]) },
  associate: { to: caller, data: onCaller('associate', [hexDigits(signer.compressed)]) },
  forward: { to: caller, data: onCaller('forward', [forwarded.bech32]), value: 10n ** 12n + 1n },
  attempt: { to: caller, data: onCaller('attempt', [forwarded.bech32]), value: 5n },
}

const hashes = new Map<string, Hex>()
const texts = new Map<string, string>()
let statuses: readonly string[]
/** What a light client read from the store. */
const proofs: { key: string; value: string; height: number }[] = []
let forwardHeight = 0n
const slotsBefore: Hex[] = []
let exported: unknown
let overridden: Hex
let pretended: Hex
let listed: readonly string[]

function clientOf(url: string) {
  const chain = viemChain({ rpc: url, chainId: 31337 })
  return createWalletClient({ account: owner, chain, transport: http(url) }).extend(publicActions)
}

/** Runs all with split state, so that module rows are in another store than slots. Returns the status of each. */
async function runAll(home: string): Promise<string[]> {
  const args = ['--state-store.evm-ss-split', 'true', '--consensus.block-time', '20ms']
  const daemon = await startDaemon({ home, dev: false, arguments: args })
  const { rpc, consensus } = daemon.ready
  const client = clientOf(rpc)
  const ended: string[] = []
  for (const [name, request] of Object.entries(TRANSACTIONS)) {
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
    const hash = await client.sendTransaction({ gas: 3_000_000n, ...fees, ...request } as never)
    hashes.set(name, hash)
    const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    ended.push(status)
  }
  await look(rpc, consensus)
  expect(await daemon.stop()).toBe(0)
  return ended
}

/** Returns the key of a balance row of bank. */
function balanceKey(who: Hex, number: number): Uint8Array {
  const key = new Uint8Array(32)
  key[0] = 5
  key.set(parseData(who), 1)
  key[24] = number
  return key
}

async function look(rpc: string, consensus: string): Promise<void> {
  for (const [tracer, tracerConfig] of TRACERS) {
    for (const hash of hashes.values()) {
      const result = await call(rpc, 'debug_traceTransaction', [hash, { tracer, tracerConfig }])
      texts.set(`${hash} ${tracer} ${JSON.stringify(tracerConfig)}`, JSON.stringify(result))
    }
  }
  const record = await runCommand(['record', ...hashes.values(), '--url', rpc, '--out', recorded])
  expect(record).toMatchObject({ code: 0, stderr: ONLY_PROGRESS })
  const client = clientOf(rpc)
  const { blockNumber } = await client.getTransactionReceipt({
    hash: hashes.get('transfer') as Hex,
  })
  forwardHeight = blockNumber
  const slot = toHex(balanceKey(friend.address, 1))
  for (const height of [blockNumber - 1n, blockNumber]) {
    const params = [BANK, slot, toHex(height)]
    slotsBefore.push(await call<Hex>(rpc, 'eth_getStorageAt', params))
  }
  exported = await call(rpc, 'eth_call', [
    { to: pointer, data: onPointer('balanceOf', [owner.address]) },
    toHex(blockNumber - 1n),
  ])
  overridden = await call<Hex>(rpc, 'eth_call', [
    { to: BANK, data: '0x6923a1fd' },
    'latest',
    // Returns 7
    { [BANK]: { code: '0x600760005260206000f3' } },
  ])
  const slots = { [toHex(balanceKey(owner.address, 1))]: toHex(5n, { size: 32 }) }
  pretended = await call<Hex>(rpc, 'eth_call', [
    { to: pointer, data: onPointer('balanceOf', [owner.address]) },
    'latest',
    { [BANK]: { stateDiff: slots } },
  ])
  const data = onPointer('transfer', [friend.address, 1n])
  const asked = [{ from: owner.address, to: pointer, data }, 'latest']
  const { accessList } = await call<{ accessList: { address: Hex }[] }>(
    rpc,
    'eth_createAccessList',
    asked,
  )
  listed = accessList.map(({ address }) => address.toLowerCase())
  const comet = await Comet38Client.connect(consensus)
  const { latestBlockHeight } = (await comet.status()).syncInfo
  for (const who of [owner.address, friend.address, toHex(forwarded.other)]) {
    const key = balanceKey(who, 1)
    const height = latestBlockHeight - 1
    const answer = await comet.abciQuery({
      path: '/store/bank/key',
      data: key,
      height,
      prove: true,
    })
    const { header } = await comet.commit(height + 1)
    const value = answer.value.length === 0 ? undefined : answer.value
    // Throws if the proof is invalid
    verifyQuery(answer.proof?.ops ?? [], header.appHash, { module: 'bank', key, value })
    proofs.push({ key: who, value: hexDigits(answer.value), height })
  }
  comet.disconnect()
}

beforeAll(async () => {
  const home = join(folder, 'first')
  const init = await runCommand(['init', '--chain-id', 'dev', '--home', home])
  expect(init.code, init.stderr).toBe(0)
  const path = join(home, 'config', 'genesis.json')
  const genesis = JSON.parse(readFileSync(path, 'utf8'))
  const atom = { name: 'Atom', symbol: 'ATOM', decimals: 6, pointer }
  genesis.app_state.bank = {
    denominations: { uatom: { ...atom, balances: { [owner.address]: '1000' } } },
  }
  writeFileSync(path, JSON.stringify(genesis))
  statuses = await runAll(home)
})

afterAll(() => removeHome(folder))

interface Frame {
  readonly type: string
  readonly from: Hex
  readonly to: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly revertReason?: string
  readonly value?: Hex
  readonly calls?: readonly Frame[]
}

function traced<Result>(name: string, tracer: string, config: object): Result {
  return JSON.parse(texts.get(`${hashes.get(name)} ${tracer} ${JSON.stringify(config)}`) as string)
}

describe('the precompiles of the chain', () => {
  test('can be called from Solidity contracts', () => {
    expect(statuses).toEqual(Object.keys(TRANSACTIONS).map(() => 'success'))
  })

  test('appear as callees in a call trace when a pointer calls the bank', () => {
    const root = traced<Frame>('transfer', 'callTracer', { withLog: true })
    expect(root.calls).toHaveLength(1)
    const [send] = root.calls as [Frame]
    expect(send).toMatchObject({
      type: 'CALL',
      from: pointer.toLowerCase(),
      to: BANK,
      value: '0x0',
    })
    expect(send.input.slice(0, 10)).toBe('0x5c05961b')
    expect(BigInt(send.output as Hex)).toBe(1n)
    const attempt = traced<Frame>('attempt', 'callTracer', { withLog: true })
    const [inner, deposit] = attempt.calls as [Frame, Frame]
    expect(inner).toMatchObject({ error: 'execution reverted', revertReason: 'on purpose' })
    expect(inner.calls).toMatchObject([{ to: BANK, value: '0x5' }])
    expect(deposit).toMatchObject({
      to: '0x0000000000000000000000000000000000001006',
      error: 'execution reverted',
      revertReason: 'this chain has no governance (precompile gov)',
    })
  })

  test('show their rows as storage slots and changes in a state trace', () => {
    const slot = (who: Hex) => toHex(balanceKey(who, 1))
    const before = traced<Record<string, { storage?: object }>>('transfer', 'prestateTracer', {})
    expect(before[BANK]?.storage).toMatchObject({
      [slot(owner.address)]: `0x${(1_000).toString(16).padStart(64, '0')}`,
    })
    const diff = traced<Record<'pre' | 'post', Record<string, { storage?: object }>>>(
      'transfer',
      'prestateTracer',
      { diffMode: true },
    )
    expect(diff.post[BANK]?.storage).toEqual({
      [slot(owner.address)]: `0x${(750).toString(16).padStart(64, '0')}`,
      [slot(friend.address)]: `0x${(250).toString(16).padStart(64, '0')}`,
    })
    expect(diff.pre[BANK]?.storage).toEqual({
      [slot(owner.address)]: `0x${(1_000).toString(16).padStart(64, '0')}`,
    })
    const flat = traced<{ action: { to?: Hex } }[]>('transfer', 'flatCallTracer', {})
    expect(flat.map(({ action }) => action.to)).toEqual([pointer.toLowerCase(), BANK])
  })

  test('have rows that eth_getStorageAt and eth_call read at earlier heights', () => {
    expect(slotsBefore.map(BigInt)).toEqual([0n, 250n])
    expect(forwardHeight).toBeGreaterThan(0n)
    const balance = decodeFunctionResult({
      abi: POINTER.abi,
      functionName: 'balanceOf',
      data: exported as Hex,
    })
    expect(balance).toBe(1_000n)
  })

  test('obey state overrides: code replaces the precompile, and slots replace its rows', () => {
    expect(BigInt(overridden)).toBe(7n)
    expect(BigInt(pretended)).toBe(5n)
  })

  test('are left out of access lists, since they are warm and their rows have their own price', () => {
    expect(listed).toEqual([pointer.toLowerCase()])
  })

  test('have proofs of their rows, and of absent rows, against the app hash', () => {
    expect(proofs.map(({ value }) => (value === '' ? undefined : BigInt(`0x${value}`)))).toEqual([
      750n,
      250n,
      undefined,
    ])
  })

  test('replay from bundles with the package and give the same traces', async () => {
    const replayer = await openReplayer()
    for (const [name, hash] of hashes) {
      const recording = await replayer.read(
        JSON.parse(readFileSync(join(recorded, `tx-${hash}.json`), 'utf8')),
      )
      expect((await recording.replay()).difference, name).toBeUndefined()
      for (const [tracer, tracerConfig] of TRACERS) {
        const again = JSON.stringify(await recording.trace({ tracer, tracerConfig } as never))
        const isSame = again === texts.get(`${hash} ${tracer} ${JSON.stringify(tracerConfig)}`)
        expect({ name, tracer, isSame }).toEqual({ name, tracer, isSame: true })
      }
    }
  })

  test('are visible in the logs of the contracts that call them', () => {
    const calls = traced<Frame & { logs?: { topics: [Hex, ...Hex[]]; data: Hex }[] }>(
      'attempt',
      'callTracer',
      { withLog: true },
    )
    const reasons = (calls.logs ?? []).map(({ topics, data }) => {
      const log = decodeEventLog({ abi: CALLER.abi, topics, data })
      return (log.args as unknown as { reason: string }).reason
    })
    expect(reasons).toEqual(['on purpose', 'this chain has no governance (precompile gov)'])
  })
})
