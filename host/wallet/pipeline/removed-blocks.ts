import type { EvmNode } from './evm-node.ts'
import type { TransactionProgress } from './transaction-progress.ts'
import type { TransactionStore } from './transaction-store.ts'
import type { WalletSender, WalletSenders } from './wallet-senders.ts'

/** Transactions whose blocks are checked at once. */
const PAGE = 200

export interface RollbackFollowerOptions {
  readonly caip2: string
  readonly node: EvmNode
  readonly store: TransactionStore
  readonly progress: TransactionProgress
  readonly senders: WalletSenders
}

/**
 * Follows rollbacks of a development chain. Transactions of removed blocks fail and free their nonces. They are not
 * rebroadcast: a rollback restores the earlier chain.
 */
export class RollbackFollower {
  readonly #options: RollbackFollowerOptions
  /** Removals processed so far. Undefined before the first check, which covers the downtime. */
  #followed: number | undefined

  constructor(options: RollbackFollowerOptions) {
    this.#options = options
  }

  /**
   * Resolves after the store reflects the chain. Returns false unless it is a development chain.
   * @throws WalletError chain_unreachable
   */
  async follow(): Promise<boolean> {
    const removals = await this.#options.node.removals()
    if (removals === undefined) return false
    if (removals === this.#followed) return true
    const count = await this.#failExecuted()
    if (count > 0 || this.#followed !== undefined) await this.#failStranded()
    this.#options.senders.dropCachedNonces(this.#options.caip2)
    this.#followed = removals
    return true
  }

  /** Fails transactions whose block was removed, latest first. Returns their number. */
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
            `the development chain was rolled back: block ${number}, which contained it, was removed`,
          )
          return true
        }),
      )
      const gone = found.filter((each) => each).length
      count += gone
      const last = rows.at(-1)?.block_number ?? undefined
      // If a whole page is still in the chain, older transactions are as well.
      if (gone === 0 || rows.length < PAGE || last === undefined) return count
      before = last === before ? last - 1 : last
    }
  }

  /** Fails waiting transactions behind a nonce that is now free. */
  async #failStranded(): Promise<void> {
    const { store, caip2, senders } = this.#options
    const follow = (sender: WalletSender) => sender.followRollback()
    const addresses = store.waitingAddresses(caip2)
    await Promise.all(addresses.map((address) => senders.use(caip2, address, follow)))
  }
}
