import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { formatData, parseData } from '../../../../../host/base/hex.ts'
import { decodeRlp, encodeRlp } from '../../../../../host/base/rlp.ts'
import { decodeEthereumBlock } from '../../../../../host/evm/chain-types/ethereum-block.ts'
import { encodeRlpHeader } from '../../../../../host/evm/chain-types/ethereum-header.ts'
import { encodeReceipt } from '../../../../../host/evm/chain-types/receipt.ts'
import { sealOf } from '../../../../../host/evm/execute/ethereum/ethereum-rules.ts'
import { lockstepHeader } from '../../../../../host/evm/execute/lockstep/lockstep-header.ts'
import {
  FakeNode,
  keccak256,
  RECIPIENT,
  repeat,
  transaction,
} from '../../../../support/chain/fake-chain.ts'

const failed = (message: string) => ({ error: { code: -32000, message } })
const invalid = (message: string) => ({ error: { code: -32602, message } })

let node: FakeNode

beforeEach(() => {
  node = new FakeNode()
})

afterEach(() => {
  node.close()
  expect(node.defects).toEqual([])
})

const resultOf = async (method: string, ...params: unknown[]): Promise<string> =>
  (await node.call(method, params)) as string

describe('raw encodings of our own chain', () => {
  test('match the fields in the records', async () => {
    const one = transaction({})
    const header = node.addBlock([{ transaction: one }])
    const raw = await resultOf('debug_getRawBlock', '0x1')
    const block = decodeEthereumBlock(parseData(raw))
    expect(block.transactions).toEqual([one.raw])
    expect(block.header).toMatchObject({
      parentHash: header.parentHash,
      stateRoot: header.stateRoot,
      number: 1n,
      gasUsed: header.gasUsed,
      baseFeePerGas: header.baseFeePerGas,
      blobGasUsed: 0n,
    })
    expect(block.withdrawals).toEqual([])
    const record = await node.call('eth_getBlockByNumber', ['0x1', false])
    expect(record).toMatchObject({
      withdrawalsRoot: formatData(block.header.withdrawalsRoot as Uint8Array),
      parentBeaconBlockRoot: formatData(repeat(0, 32)),
      requestsHash: formatData(block.header.requestsHash as Uint8Array),
    })
    expect(await resultOf('debug_getRawHeader', '0x1')).toBe(
      formatData(encodeRlpHeader(block.header)),
    )
    const [encodedHeader] = decodeRlp(parseData(raw)) as readonly Uint8Array[]
    expect(formatData(encodeRlp(encodedHeader as Uint8Array))).toBe(
      formatData(encodeRlpHeader(block.header)),
    )
    const [receipt] = node.chain.receipts(1) ?? []
    if (receipt === undefined) throw new Error('no receipt')
    expect(await resultOf('debug_getRawReceipts', formatData(header.hash))).toEqual([
      formatData(encodeReceipt(receipt)),
    ])
    expect(await resultOf('debug_getRawTransaction', formatData(one.hash))).toBe(
      formatData(one.raw),
    )
    expect(await resultOf('debug_getRawTransaction', formatData(repeat(9, 32)))).toBe('0x')
  })

  test('name the missing item in the error', async () => {
    expect(await node.call('debug_getRawHeader', ['0x9'])).toEqual(failed('block #9 not found'))
    expect(await node.call('debug_getRawBlock', ['9'])).toEqual(
      invalid('invalid argument 0: hex string without 0x prefix'),
    )
  })
})

describe('uncle methods', () => {
  test('return ommers as blocks without transactions, and none on our own chain', async () => {
    node.addBlock([])
    expect(await node.call('eth_getUncleByBlockNumberAndIndex', ['0x1', '0x0'])).toBeNull()
    const executed = node.chain.blocks[1]
    if (executed === undefined) throw new Error('no block')
    const { header } = executed.block
    const ommer = { ...lockstepHeader(header, 'Prague'), difficulty: 131_072n, number: 1n }
    const ethereum = { ommers: [ommer], withdrawals: undefined }
    node.chain.blocks[1] = { ...executed, block: { ...executed.block, ethereum } }
    // Stub the one rule of an imported chain that is needed here.
    vi.spyOn(node.context.rules, 'ethereumHeader').mockImplementation((one) => sealOf(one).header)
    const uncle = await node.call('eth_getUncleByBlockHashAndIndex', [
      formatData(header.hash),
      '0x0',
    ])
    expect(uncle).toMatchObject({
      hash: formatData(keccak256(encodeRlpHeader(ommer))),
      difficulty: '0x20000',
      number: '0x1',
      uncles: [],
    })
    expect(uncle).not.toHaveProperty('transactions')
    expect(await node.call('eth_getUncleByBlockNumberAndIndex', ['0x1', '0x1'])).toBeNull()
    expect(await node.call('eth_getUncleCountByBlockNumber', ['0x1'])).toBe('0x1')
  })
})

describe('eth_getStorageValues', () => {
  const address = formatData(RECIPIENT)
  const word = (byte: number) => `0x${'00'.repeat(31)}${byte.toString(16).padStart(2, '0')}`

  test('returns values in the requested order, and zero if there is none', async () => {
    node.state.setAccount(RECIPIENT, 1n, 0n, new Uint8Array())
    node.state.setStorage(RECIPIENT, parseData(word(2)), parseData(word(9)))
    node.state.setStorage(RECIPIENT, parseData(word(1)), parseData(word(7)))
    const slots = [word(2), '0x1', word(3)]
    expect(await node.call('eth_getStorageValues', [{ [address]: slots }, 'latest'])).toEqual({
      [address]: [word(9), word(7), word(0)],
    })
  })

  test.each([
    [{}, -32602, 'empty request'],
    [{ [address]: [] }, -32602, 'empty request'],
    [{ [address]: new Array(1025).fill('0x0') }, -38026, 'too many slots (max 1024)'],
    [
      { [address]: '0x0' },
      -32602,
      'invalid argument 0: want an array of storage slots, got string',
    ],
  ])('refuses %.40j', async (slots, code, message) => {
    expect(await node.call('eth_getStorageValues', [slots])).toEqual({ error: { code, message } })
  })
})

describe('methods that need an imported chain', () => {
  test('explain why our own chain cannot answer', async () => {
    const why =
      'no proofs on this chain: its state root is the hash of a lattice and of IAVL trees, ' +
      'not of a Merkle Patricia trie; '
    const proof = (address: string) => node.call('eth_getProof', [address, [], 'latest'])
    expect(await proof(formatData(RECIPIENT))).toEqual(
      failed(
        `${why}debug_traceStateAccess returns what a transaction read, for a replay anywhere, and ` +
          '/abci_query of the consensus RPC proves rows of module stores',
      ),
    )
    expect(await proof(`0x${'1005'.padStart(40, '0')}`)).toEqual(
      failed(
        `${why}a slot of this precompile is a key of the store staking, which /abci_query of the consensus RPC ` +
          'proves against the app hash: path="/store/staking/key", data=0x<slot>, prove=true',
      ),
    )
    expect(await node.call('eth_config', [])).toEqual(
      failed('no fork configuration: this chain has one revision'),
    )
  })
})
