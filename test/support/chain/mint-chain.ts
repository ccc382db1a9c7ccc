import { EMPTY_BYTES } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import { encodeRlp } from '../../../host/base/rlp.ts'
import {
  encodeEthereumBlock,
  encodeWithdrawal,
} from '../../../host/evm/chain-types/ethereum-block.ts'
import {
  type EthereumHeader,
  encodeRlpHeader,
} from '../../../host/evm/chain-types/ethereum-header.ts'
import { decodeEthereumGenesis } from '../../../host/evm/execute/ethereum/genesis.ts'
import { nextEthereumBaseFee } from '../../../host/evm/execute/ethereum/header-rules.ts'
import { credit } from '../../../host/evm/execute/ethereum/rewards.ts'
import { allocationDiff } from '../../../host/evm/state/allocation.ts'
import type { CommitHasher } from '../../../host/storage/commit/hash/commit-hasher.ts'
import { MerkleState } from './merkle-state.ts'

/** Account that each block of a minted chain credits. */
export const CREDITED: Uint8Array = new Uint8Array(20).fill(0xcc)
/** Gwei credited by each block. */
export const CREDIT = 3n

/** geth's genesis.json of a network with Shanghai from its genesis. */
export const MINTED_GENESIS: string = JSON.stringify({
  config: {
    chainId: 4242,
    homesteadBlock: 0,
    eip150Block: 0,
    eip155Block: 0,
    eip158Block: 0,
    byzantiumBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
    istanbulBlock: 0,
    berlinBlock: 0,
    londonBlock: 0,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
  },
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  timestamp: '0x64',
  alloc: { [formatData(CREDITED)]: { balance: '1' } },
})

export interface MintedChain {
  readonly genesisHash: Uint8Array
  /** Blocks 1, 2, ... in RLP. */
  readonly blocks: readonly Uint8Array[]
  readonly hashes: readonly Uint8Array[]
}

/** Returns a chain of `count` blocks without transactions, each with a withdrawal, 12 seconds apart. */
export function mintChain(hasher: CommitHasher, count: number): MintedChain {
  const genesis = decodeEthereumGenesis(MINTED_GENESIS)
  const state = new MerkleState(hasher, () => undefined)
  state.apply(allocationDiff(genesis.accounts, (bytes) => hasher.keccak256(bytes)))
  let parent: EthereumHeader = { ...genesis.header, stateRoot: state.root() }
  const genesisHash = hasher.keccak256(encodeRlpHeader(parent))
  const blocks: Uint8Array[] = []
  const hashes: Uint8Array[] = []
  for (let number = 1n; number <= BigInt(count); number++) {
    const withdrawal = { index: number, validatorIndex: 7n, address: CREDITED, amount: CREDIT }
    credit(state, CREDITED, CREDIT * 10n ** 9n)
    const header: EthereumHeader = {
      ...parent,
      parentHash: hashes.at(-1) ?? genesisHash,
      number,
      timestamp: parent.timestamp + 12n,
      baseFeePerGas: nextEthereumBaseFee(parent),
      stateRoot: state.root(),
      withdrawalsRoot: hasher.trieRoot([[encodeRlp(EMPTY_BYTES), encodeWithdrawal(withdrawal)]]),
    }
    blocks.push(encodeEthereumBlock(header, [], { ommers: [], withdrawals: [withdrawal] }))
    hashes.push(hasher.keccak256(encodeRlpHeader(header)))
    parent = header
  }
  return { genesisHash, blocks, hashes }
}
