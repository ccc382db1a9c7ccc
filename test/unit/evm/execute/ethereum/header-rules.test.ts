import { describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { decodeRlp } from '../../../../../host/base/rlp.ts'
import {
  decodeRlpHeader,
  type EthereumHeader,
  encodeRlpHeader,
  NO_OMMERS_HASH,
} from '../../../../../host/evm/chain-types/ethereum-header.ts'
import { atLeast } from '../../../../../host/evm/chain-types/revision.ts'
import {
  type EthereumNetwork,
  type ForkName,
  MAINNET_DEPOSITS,
  rulesAt,
} from '../../../../../host/evm/execute/ethereum/forks.ts'
import {
  checkHeader,
  type HeaderParent,
  nextEthereumBaseFee,
} from '../../../../../host/evm/execute/ethereum/header-rules.ts'

const ROOT = new Uint8Array(32).fill(1)
const ZEROS = new Uint8Array(32)
const PARENT_HASH = new Uint8Array(32).fill(2)

/** Returns a network with one fork from genesis, or with a second fork from block 5 on. */
function networkOf(fork: ForkName, later?: ForkName): EthereumNetwork {
  const forks: EthereumNetwork['forks'] = [
    { fork, since: { block: 0n } },
    ...(later === undefined ? [] : [{ fork: later, since: { block: 5n } } as const]),
  ]
  return { chainId: 1n, forks, blobSchedules: new Map(), depositContract: MAINNET_DEPOSITS }
}

const rulesOf = (network: EthereumNetwork, number: bigint) =>
  rulesAt(network, { number, timestamp: number * 12n, parentTotalDifficulty: 0n })

/** Returns a valid header of an empty block with the fields of its fork. */
function headerOf(network: EthereumNetwork, number: bigint, changes: Partial<EthereumHeader> = {}) {
  const { revision } = rulesOf(network, number)
  const since = <Value>(first: typeof revision, value: Value) =>
    atLeast(revision, first) ? value : undefined
  const header: EthereumHeader = {
    parentHash: PARENT_HASH,
    ommersHash: NO_OMMERS_HASH,
    coinbase: new Uint8Array(20),
    stateRoot: ROOT,
    transactionsRoot: ROOT,
    receiptsRoot: ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: atLeast(revision, 'Paris') ? 0n : 131_072n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: number * 12n,
    extraData: new Uint8Array(0),
    mixHash: ZEROS,
    nonce: new Uint8Array(8),
    baseFeePerGas: since('London', 7n),
    withdrawalsRoot: since('Shanghai', ROOT),
    blobGasUsed: since('Cancun', 0n),
    excessBlobGas: since('Cancun', 0n),
    parentBeaconBlockRoot: since('Cancun', ROOT),
    requestsHash: since('Prague', ROOT),
  }
  return { ...header, ...changes }
}

function parentOf(network: EthereumNetwork, number: bigint, changes?: Partial<EthereumHeader>) {
  const header = headerOf(network, number, changes)
  return { header, rules: rulesOf(network, number), hash: PARENT_HASH } satisfies HeaderParent
}

/** Returns the message of the refusal, or undefined. */
function check(network: EthereumNetwork, header: EthereumHeader, parent: HeaderParent) {
  try {
    checkHeader(header, parent, rulesOf(network, header.number))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('a header', () => {
  const forks: ForkName[] = ['Frontier', 'London', 'Paris', 'Shanghai', 'Cancun', 'Prague']

  test.each(forks)('of %s survives its encoding', (fork) => {
    const header = headerOf(networkOf(fork), 1n)
    expect(decodeRlpHeader(decodeRlp(encodeRlpHeader(header)))).toEqual(header)
  })

  test('is refused if its number of fields fits no fork', () => {
    expect(() => decodeRlpHeader(Array.from({ length: 18 }, () => ZEROS))).toThrow('18 fields')
  })
})

describe('the validation rules of a header', () => {
  const network = networkOf('Prague')
  const parent = parentOf(network, 1n)
  const good = headerOf(network, 2n)

  test('accept an empty block', () => expect(check(network, good, parent)).toBeUndefined())

  test.each<[string, Partial<EthereumHeader>, string]>([
    ['another parent', { parentHash: ZEROS }, 'parentHash is not the hash of the parent'],
    ['a number left out', { number: 3n }, 'number 3 does not follow 1'],
    ['the time of the parent', { timestamp: 12n }, 'timestamp 12 is not after 12'],
    [
      '33 bytes of extra data',
      { extraData: new Uint8Array(33) },
      'extra data has 33 bytes, more than 32',
    ],
    [
      'a gas limit that rises by 1/1024',
      { gasLimit: 30_000_000n + 29_296n },
      'gas limit 30029296 is out of bounds after 30000000',
    ],
    [
      'more gas than its limit',
      { gasUsed: 30_000_001n },
      'gas used 30000001 exceeds the gas limit 30000000',
    ],
    ['a base fee of its own', { baseFeePerGas: 8n }, 'base fee 8, want 7'],
    ['difficulty after the merge', { difficulty: 1n }, 'difficulty 1 after the merge, want 0'],
    [
      'a nonce after the merge',
      { nonce: bigintToBytes(1n, 8) },
      'nonce is not zero after the merge',
    ],
    ['ommers after the merge', { ommersHash: ROOT }, 'ommers are not allowed after the merge'],
    ['part of a blob', { blobGasUsed: 131_071n }, 'blob gas used 131071'],
    ['ten blobs', { blobGasUsed: 1_310_720n }, 'blob gas used 1310720'],
    ['excess out of nothing', { excessBlobGas: 131_072n }, 'excess blob gas 131072, want 0'],
    ['no requests', { requestsHash: undefined }, 'requestsHash is missing in Prague'],
    [
      'no beacon root',
      { parentBeaconBlockRoot: undefined },
      'parentBeaconBlockRoot is missing in Prague',
    ],
  ])('refuse %s', (_what, changes, message) => {
    expect(check(network, { ...good, ...changes }, parent)).toBe(message)
  })

  test('accept a gas limit just within its bound', () => {
    const header = { ...good, gasLimit: 30_000_000n + 29_295n }
    expect(check(network, header, parent)).toBeUndefined()
  })

  test('double the gas limit and start the base fee at 1 gwei with London (EIP-1559)', () => {
    const forked = networkOf('Berlin', 'London')
    const before = parentOf(forked, 4n)
    const changes = { gasLimit: 60_000_000n, baseFeePerGas: 1_000_000_000n }
    expect(check(forked, headerOf(forked, 5n, changes), before)).toBeUndefined()
    const kept = headerOf(forked, 5n, { ...changes, gasLimit: 30_000_000n })
    expect(check(forked, kept, before)).toBe('gas limit 30000000 is out of bounds after 60000000')
  })

  test('require the extra data of the DAO fork for ten blocks (EIP-779)', () => {
    const forked = networkOf('Homestead', 'Dao')
    const words = new TextEncoder().encode('dao-hard-fork')
    // The parent has the minimum difficulty, which an interval of 12 seconds keeps
    const at = (number: bigint, extraData: Uint8Array) =>
      check(forked, headerOf(forked, number, { extraData }), parentOf(forked, number - 1n))
    expect(at(5n, words)).toBeUndefined()
    expect(at(5n, new Uint8Array(0))).toBe('extra data is not "dao-hard-fork"')
    expect(at(14n, new Uint8Array(0))).toBe('extra data is not "dao-hard-fork"')
    expect(at(15n, new Uint8Array(0))).toBeUndefined()
  })
})

describe('the base fee (EIP-1559)', () => {
  const network = networkOf('London')
  test.each([
    ['an eighth up after a full block', 30_000_000n, 1_125_000_000n],
    ['an eighth down after an empty one', 0n, 875_000_000n],
    ['as it is at the target', 15_000_000n, 1_000_000_000n],
  ])('goes %s', (_what, gasUsed, want) => {
    const parent = parentOf(network, 1n, { gasUsed, baseFeePerGas: 1_000_000_000n })
    expect(nextEthereumBaseFee(parent.header)).toBe(want)
  })

  test('rises by at least one wei', () => {
    const parent = parentOf(network, 1n, { gasUsed: 15_000_001n, baseFeePerGas: 7n })
    expect(nextEthereumBaseFee(parent.header)).toBe(8n)
  })
})
