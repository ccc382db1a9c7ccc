import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, concatBytes } from '../../../../../host/base/bytes.ts'
import {
  formatData,
  formatQuantity,
  type Hex,
  parseQuantity,
} from '../../../../../host/base/hex.ts'
import {
  type EthereumHeader,
  encodeRlpHeader,
  NO_OMMERS_HASH,
} from '../../../../../host/evm/chain-types/ethereum-header.ts'
import type { FakeCall } from '../../../../support/rpc/fake-node.ts'

const EMPTY_ROOT = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const fromDigits = (digits: string) => Uint8Array.from(Buffer.from(digits, 'hex'))
const FIRST_TIME = 1_800_000_000n
const SLOTS = 60

export const FAR_CHAIN_ID = 1_337n
export const HOLDER: Hex = `0x${'11'.repeat(20)}`
/** Code that reads its first 60 slots, in which slot n holds n, and returns their sum. */
export const SUMMER: Hex = `0x${'22'.repeat(20)}`
export const SUM = (SLOTS * (SLOTS - 1)) / 2

const sumCode = concatBytes([
  Uint8Array.of(0x5f),
  ...Array.from({ length: SLOTS }, (_, slot) => Uint8Array.of(0x60, slot, 0x54, 0x01)),
  Uint8Array.of(0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3),
])

function headerOf(number: bigint, parentHash: Uint8Array): EthereumHeader {
  const zeros = new Uint8Array(32)
  const root = fromDigits(EMPTY_ROOT)
  return {
    parentHash,
    ommersHash: NO_OMMERS_HASH,
    coinbase: new Uint8Array(20),
    stateRoot: zeros,
    transactionsRoot: root,
    receiptsRoot: root,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: FIRST_TIME + 12n * number,
    extraData: new Uint8Array(),
    mixHash: zeros,
    nonce: new Uint8Array(8),
    baseFeePerGas: 1_000_000_000n,
    withdrawalsRoot: root,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: zeros,
    requestsHash: zeros,
  }
}

/** Answers of a node for a chain without transactions whose last block is `last`. */
export class FarChain {
  readonly #headers: EthereumHeader[] = []
  readonly #hashes: Uint8Array[] = []
  readonly #chainId: bigint

  constructor(last: number, chainId = FAR_CHAIN_ID) {
    this.#chainId = chainId
    let parent: Uint8Array = new Uint8Array(32)
    for (let number = 0; number <= last; number++) {
      const header = headerOf(BigInt(number), parent)
      parent = keccak_256(encodeRlpHeader(header))
      this.#headers.push(header)
      this.#hashes.push(parent)
    }
  }

  hashOf(number: number): Hex {
    return formatData(this.#hashes[number] as Uint8Array)
  }

  answer({ method, params }: FakeCall): unknown {
    const [first] = params as [Hex, unknown]
    switch (method) {
      case 'eth_chainId':
        return formatQuantity(this.#chainId)
      case 'web3_clientVersion':
        return 'Far/v1'
      case 'eth_blockNumber':
        return formatQuantity(this.#headers.length - 1)
      case 'eth_getBlockByNumber':
        return this.#block(Number(parseQuantity(first, 64)))
      case 'eth_getBlockByHash':
        return this.#block(this.#hashes.findIndex((hash) => formatData(hash) === first))
      case 'eth_getBlockReceipts':
        return []
      case 'eth_getBalance':
        return first === HOLDER ? '0xde0b6b3a7640000' : '0x0'
      case 'eth_getTransactionCount':
        return first === HOLDER ? '0x7' : first === SUMMER ? '0x1' : '0x0'
      case 'eth_getCode':
        return first === SUMMER ? formatData(sumCode) : '0x'
      case 'eth_getStorageAt': {
        const slot = parseQuantity(`0x${(params[1] as string).replace(/^0x0*(?=.)/, '')}`, 256)
        const value = first === SUMMER && slot < BigInt(SLOTS) ? slot : 0n
        return formatData(bigintToBytes(value, 32))
      }
      case 'eth_getLogs':
        return []
      default:
        return null
    }
  }

  #block(number: number): object | null {
    const header = this.#headers[number]
    if (header === undefined) return null
    const { coinbase, mixHash, ommersHash, ...rest } = header
    const fields = Object.entries(rest).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? formatQuantity(value) : formatData(value as Uint8Array),
    ])
    return {
      ...Object.fromEntries(fields),
      hash: this.hashOf(number),
      miner: formatData(coinbase),
      mixHash: formatData(mixHash),
      sha3Uncles: formatData(ommersHash),
      size: '0x200',
      transactions: [],
      uncles: [],
      withdrawals: [],
    }
  }
}
