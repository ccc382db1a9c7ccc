import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, bytesKey } from '../../../host/base/bytes.ts'
import { type Hex, parseData } from '../../../host/base/hex.ts'
import { decodeEthereumBlock } from '../../../host/evm/chain-types/ethereum-block.ts'
import { loadEngine } from '../../../host/evm/engine/engine.ts'
import { processBlock } from '../../../host/evm/execute/ethereum/block-processor.ts'
import { rulesAt } from '../../../host/evm/execute/ethereum/forks.ts'
import type { EthereumGenesis } from '../../../host/evm/execute/ethereum/genesis.ts'
import { EMPTY_CODE_HASH, encodeAccount, NO_ACCOUNT } from '../../../host/evm/state/account.ts'
import type { StateView } from '../../../host/evm/state/view.ts'
import { openHasher } from '../../../host/node/commit-hasher.ts'
import { readModule } from '../../../host/node/wasm.ts'
import { StateTrie } from '../../../host/storage/commit/trie/state-trie.ts'
import type { TrieNodes } from '../../../host/storage/commit/trie/trie-node.ts'
import { TrieState } from '../../../host/storage/commit/trie/trie-state.ts'
import { firstDifference } from './difference.ts'

const engine = readModule('pairing').then(async (pairing) =>
  loadEngine(await readModule('engine'), { pairing: await WebAssembly.compile(pairing) }),
)

interface Witness {
  readonly headers: readonly { readonly number: Hex; readonly hash: Hex; readonly stateRoot: Hex }[]
  readonly codes: readonly Hex[]
  readonly state: readonly Hex[]
}

/** Returns true if the first witness has all headers and nodes of the second. */
export function isSuperset(ours: unknown, theirs: unknown): boolean {
  const [mine, other] = [ours as Witness, theirs as Witness]
  const nodes = new Set(mine.state)
  const hasHeaders = firstDifference(mine.headers, other.headers) === undefined
  return hasHeaders && other.state.every((node) => nodes.has(node))
}

function byHash(list: readonly Hex[]): Map<string, Uint8Array> {
  return new Map(list.map(parseData).map((bytes) => [bytesKey(keccak_256(bytes)), bytes]))
}

/** Executes a block on the state that its witness proves. @throws if the result differs from the header */
export async function runFromWitness(
  { network }: EthereumGenesis,
  raw: Uint8Array,
  given: object,
): Promise<void> {
  const { headers, codes, state: nodeList } = given as Witness
  const nodes = byHash(nodeList)
  const stored: TrieNodes = { get: (hash) => nodes.get(bytesKey(hash)) }
  const codeByHash = byHash(codes)
  const parent = headers.at(-1) as Witness['headers'][number]
  const root = parseData(parent.stateRoot)
  const before = new StateTrie(stored, keccak_256, root)
  const view: StateView = {
    account: (address) => {
      const { account } = before.prove(address, [])
      return account === NO_ACCOUNT ? undefined : encodeAccount(account)
    },
    storage: (address, slot) => {
      const [read] = before.prove(address, [slot]).slots
      return read === undefined || read.value === 0n ? undefined : bigintToBytes(read.value, 32)
    },
    code: (codeHash) => {
      if (bytesKey(codeHash) === bytesKey(EMPTY_CODE_HASH)) return new Uint8Array()
      const code = codeByHash.get(bytesKey(codeHash))
      if (code === undefined) throw new Error('the witness lacks code')
      return code
    },
    blockHash: (number) => {
      const header = headers.find((one) => Number(one.number) === number)
      return header && parseData(header.hash)
    },
  }
  const block = decodeEthereumBlock(raw)
  const position = { ...block.header, parentTotalDifficulty: 0n }
  const context = {
    engine: await engine,
    hasher: await openHasher(),
    network,
  }
  const state = new TrieState(view, stored, keccak_256, root)
  processBlock(context, state, block, rulesAt(network, position))
}
