import type { Hex } from '../../base/hex.ts'
import type { EvmNode } from './evm-node.ts'
import type { TransactionProgress } from './transaction-progress.ts'
import type { TransactionStore } from './transaction-store.ts'

/** Transactions whose blocks are looked for at once. */
const PAGE = 200

export interface RemovedBlocksOptions {
  readonly caip2: string
  readonly node: EvmNode
  readonly store: TransactionStore
  readonly progress: TransactionProgress
  /** True while whoever has asked for it hands it in for the first time. */
  readonly isHandedIn: (id: string) => boolean
  /** Told once what was removed is known, before `follow` resolves. */
  readonly onRemoved: () => void
}

/**
 * Follows a development chain back: transactions of blocks that a developer has removed have failed, and their nonces
 * are free. They are not sent again: a chain that was taken back is to be as it was.
 */
export class RemovedBlocks {
  readonly #options: RemovedBlocksOptions
  /** Removals that were followed; undefined before the first look, which follows those of earlier processes. */
  #followed: number | undefined

  constructor(options: RemovedBlocksOptions) {
    this.#options = options
  }

  /**
   * Resolves once the store is as the chain is now. False unless the chain is one for development.
   * @throws WalletError chain_unreachable
   */
  async follow(): Promise<boolean> {
    const removals = await this.#options.node.removals()
    if (removals === undefined) return false
    if (removals === this.#followed) return true
    const count = await this.#failExecuted()
    if (count > 0 || this.#followed !== undefined) await this.#failStranded()
    this.#options.onRemoved()
    this.#followed = removals
    return true
  }

  /** Ends what no block has any more, the newest first; returns how many that are. */
  async #failExecuted(): Promise<number> {
    const { node, store, caip2, progress } = this.#options
    let count = 0
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = store.inBlocks(caip2, before, PAGE)
      const known = new Map<number, Promise<string | undefined>>()
      const isGone = async (number: number, hash: string | null) => {
        const asked = known.get(number) ?? node.blockHash(number)
        known.set(number, asked)
        return (await asked) !== hash
      }
      const found = await Promise.all(
        rows.map(async ({ id, block_number: number, block_hash: hash }) => {
          if (number === null || !(await isGone(number, hash))) return false
          await progress.removed(
            id,
            `the development chain was taken back: block ${number}, which had it, was removed`,
          )
          return true
        }),
      )
      const gone = found.filter((each) => each).length
      count += gone
      const last = rows.at(-1)?.block_number ?? undefined
      // What is older than so many that are still there is there too.
      if (gone === 0 || rows.length < PAGE || last === undefined) return count
      before = last === before ? last - 1 : last
    }
  }

  /** Ends what waits for a nonce that nothing of ours has any more. */
  async #failStranded(): Promise<void> {
    const { store, caip2 } = this.#options
    const addresses = store.waitingAddresses(caip2)
    await Promise.all(addresses.map((address) => this.#failStrandedOf(address)))
  }

  async #failStrandedOf(address: Hex): Promise<void> {
    const { node, store, caip2, progress, isHandedIn } = this.#options
    let next = await node.nonce(address, 'pending')
    for (const { id, nonce } of store.waiting(caip2, address, Number.MAX_SAFE_INTEGER)) {
      if (nonce === null || nonce < next) continue
      if (nonce === next) next++
      else if (!isHandedIn(id)) {
        await progress.ended(
          id,
          'failed',
          `the development chain was taken back: nothing has nonce ${next}, and this has ${nonce}`,
        )
      }
    }
  }
}
