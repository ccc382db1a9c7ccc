import { EMPTY_BYTES, equalBytes } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { Block } from '../../../evm/chain-types/block.ts'
import {
  decodeEthereumBlock,
  type EthereumBlock,
  encodeEthereumBlock,
  finishedHeader,
} from '../../../evm/chain-types/ethereum-block.ts'
import { encodeRlpHeader } from '../../../evm/chain-types/ethereum-header.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { ProcessorContext } from '../../../evm/execute/ethereum/block-processor.ts'
import { EthereumRules, sealOf } from '../../../evm/execute/ethereum/ethereum-rules.ts'
import type { EthereumGenesis } from '../../../evm/execute/ethereum/genesis.ts'
import type { Ancestor } from '../../../evm/execute/ethereum/ommers.ts'
import { OMMER_GENERATIONS, verifyBlock } from '../../../evm/execute/ethereum/verify-block.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import { allocationDiff } from '../../../evm/state/allocation.ts'
import type { KeyWrite } from '../../../evm/state/changeset.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { EMPTY_ROOT, type TrieNodes } from '../../../storage/commit/trie/trie-node.ts'
import { TrieState } from '../../../storage/commit/trie/trie-state.ts'
import type { Storage } from '../../../storage/store/storage.ts'

/** Module whose store holds the nodes of the state trie by hash. */
const TRIE = 'state_trie'

/** Module whose store holds addresses and slots by their hashes, which are the keys of the tries. */
const PREIMAGES = 'trie_preimages'

/** Returns the address or slot with this hash, if an imported block has written it. */
export function storedPreimage(
  { state }: Pick<Storage, 'state'>,
  hash: Uint8Array,
): Uint8Array | undefined {
  return state.latest < 0 ? undefined : state.module(PREIMAGES).get(hash, state.latest)
}

/** Returns the trie nodes of all imported heights. */
export function storedNodes({ state }: Pick<Storage, 'state'>): TrieNodes {
  const module = state.module(TRIE)
  return { get: (hash) => (state.latest < 0 ? undefined : module.get(hash, state.latest)) }
}

/** Error codes that mark an invalid block; any other error is a defect. */
const REFUSALS: ReadonlySet<string> = new Set([
  'BLOCK_INVALID',
  'INVALID_RLP',
  'TRANSACTION_REJECTED',
])

/** The result of importing one block of a file. */
export type ImportResult = 'imported' | 'known'

/**
 * Imports Ethereum blocks into the node's storage one after another. Each block is checked, executed and compared
 * with its header before any of it is stored.
 */
export class ChainImport {
  readonly #context: ProcessorContext
  readonly #storage: Storage
  readonly #genesis: EthereumGenesis
  readonly #rules: EthereumRules
  readonly #nodes: TrieNodes

  constructor(
    context: Omit<ProcessorContext, 'network'>,
    storage: Storage,
    genesis: EthereumGenesis,
  ) {
    this.#context = { ...context, network: genesis.network }
    this.#storage = storage
    this.#genesis = genesis
    this.#rules = new EthereumRules(genesis.network)
    this.#nodes = storedNodes(storage)
  }

  /** Height of the latest stored block; -1 before `begin`. */
  get latest(): number {
    return this.#storage.chain.latest
  }

  /**
   * Stores the genesis block, or checks that it equals the stored one.
   * @throws GENESIS_INVALID if the storage holds another chain
   */
  async begin(): Promise<void> {
    const { hasher } = this.#context
    const diff = allocationDiff(this.#genesis.accounts, (bytes) => hasher.keccak256(bytes))
    const state = new TrieState(
      NOTHING_YET,
      NO_NODES,
      (bytes) => hasher.keccak256(bytes),
      EMPTY_ROOT,
    )
    state.apply(diff)
    const header = { ...this.#genesis.header, stateRoot: state.root() }
    const hash = hasher.keccak256(encodeRlpHeader(header))
    const stored = this.#storage.chain.header(0)
    if (stored !== undefined) {
      if (equalBytes(stored.hash, hash)) return
      throw new LockstepError(
        'GENESIS_INVALID',
        `genesis.json gives block 0 the hash ${formatData(hash)}, the storage holds ${formatData(stored.hash)}`,
        { hint: 'use another --home' },
      )
    }
    const body = {
      ommers: [],
      withdrawals: header.withdrawalsRoot === undefined ? undefined : [],
    }
    const size = encodeEthereumBlock(header, [], body).length
    await this.#store(
      {
        header: finishedHeader(header, hash, size, header.difficulty),
        transactions: [],
        ethereum: body,
      },
      [],
      [],
      state,
    )
  }

  /**
   * Imports one block in RLP. A block that is already stored changes nothing.
   * @throws BLOCK_INVALID with the block and the violated rule; nothing of the block is then stored
   */
  async add(raw: Uint8Array): Promise<ImportResult> {
    const block = decodeFirst(raw)
    const number = Number(block.header.number)
    const hash = this.#context.hasher.keccak256(encodeRlpHeader(block.header))
    const { chain } = this.#storage
    // A pruned block can no longer be compared.
    if (number > 0 && number < chain.earliest) return 'known'
    const stored = chain.header(number)
    if (stored !== undefined) {
      if (equalBytes(stored.hash, hash)) return 'known'
      throw refused(
        number,
        `its hash is ${formatData(hash)}, but the imported one has ${formatData(stored.hash)}`,
      )
    }
    if (number !== chain.latest + 1) {
      throw refused(number, `it cannot follow block ${chain.latest}`)
    }
    const parent = knownHeader(chain, chain.latest)
    const state = new TrieState(
      this.#storage.state.view(chain.latest),
      this.#nodes,
      (bytes) => this.#context.hasher.keccak256(bytes),
      parent.stateRoot,
    )
    const ancestors = this.#ancestors(chain.latest)
    const { transactions, receipts } = this.#verify(block, ancestors, state)
    const totalDifficulty = (ancestors[0] as Ancestor).totalDifficulty + block.header.difficulty
    await this.#store(
      {
        header: finishedHeader(block.header, hash, block.size, totalDifficulty),
        transactions: block.transactions,
        ethereum: { ommers: block.ommers, withdrawals: block.withdrawals },
      },
      transactions.map((transaction) => transaction.hash),
      receipts,
      state,
    )
    return 'imported'
  }

  #verify(block: EthereumBlock, ancestors: readonly Ancestor[], state: TrieState) {
    try {
      return verifyBlock(this.#context, block, ancestors, state)
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || !REFUSALS.has(thrown.code)) throw thrown
      throw refused(Number(block.header.number), thrown.message, thrown)
    }
  }

  /** Returns the blocks up to `height`, latest first. */
  #ancestors(height: number): Ancestor[] {
    const { chain } = this.#storage
    const ancestors: Ancestor[] = []
    for (let at = height; at >= 0 && ancestors.length < OMMER_GENERATIONS; at--) {
      const block = chain.block(at) as Block
      const { header, totalDifficulty } = sealOf(block.header)
      ancestors.push({
        header,
        hash: block.header.hash,
        rules: this.#rules.rulesOf(block.header),
        ommers: block.ethereum?.ommers ?? [],
        totalDifficulty,
      })
    }
    return ancestors
  }

  async #store(
    block: Block,
    transactionHashes: readonly Uint8Array[],
    receipts: readonly Receipt[],
    state: TrieState,
  ): Promise<void> {
    const nodes: KeyWrite[] = []
    for (const { hash, encoded } of state.trie.added) nodes.push({ key: hash, value: encoded })
    const preimages: KeyWrite[] = []
    for (const { hash, preimage } of state.trie.written) {
      if (storedPreimage(this.#storage, hash) !== undefined) continue
      preimages.push({ key: hash, value: preimage })
    }
    const modules = [
      { module: TRIE, writes: nodes },
      { module: PREIMAGES, writes: preimages },
    ]
    await this.#storage.append({
      executed: { block, transactionHashes, receipts },
      changeset: {
        height: block.header.number,
        evm: state.diff(),
        legacy: [],
        modules: modules.filter(({ writes }) => writes.length > 0),
      },
    })
  }
}

const NOTHING_YET: StateView = {
  account: () => undefined,
  storage: () => undefined,
  code: () => EMPTY_BYTES,
  blockHash: () => undefined,
}

const NO_NODES: TrieNodes = { get: () => undefined }

function refused(number: number, rule: string, cause?: unknown): LockstepError {
  return new LockstepError('BLOCK_INVALID', `block ${number} is invalid: ${rule}`, {
    data: { number },
    cause,
  })
}

function decodeFirst(raw: Uint8Array): EthereumBlock {
  try {
    return decodeEthereumBlock(raw)
  } catch (thrown) {
    throw new LockstepError('BLOCK_INVALID', `not a block: ${messageOf(thrown)}`, { cause: thrown })
  }
}
