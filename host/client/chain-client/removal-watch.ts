import { delay } from '../../base/timer.ts'
import { NodeRefusal, type RpcConnection } from './rpc-connection.ts'

/** A node's RPC worker may lag for a moment, so a block counts as removed only after this many lookups failed. */
const LOOKUPS = 3
const BETWEEN_LOOKUPS_MS = 50

/** Maximum blocks to look up besides the latest one of the previous check. */
const MOST_NOTED = 64

/** A block as a node identifies it: its number is a QUANTITY. */
export interface BlockMark {
  readonly number: string
  readonly hash: string
}

/**
 * Detects whether a development chain was reverted (evm_revert, anvil_reset, anvil_rollback, anvil_reorg). Blocks of
 * other chains are treated as final: nothing is looked up there.
 */
export class RemovalWatch {
  readonly #connection: Pick<RpcConnection, 'call'>
  #isDevelopment: boolean | undefined
  #mark: BlockMark | undefined
  /** By hash, the oldest first. */
  #noted = new Map<string, BlockMark>()
  #removals = 0
  #running: Promise<unknown> = Promise.resolve()
  #next: Promise<number | undefined> | undefined

  constructor(connection: Pick<RpcConnection, 'call'>) {
    this.#connection = connection
  }

  /**
   * Returns how many times blocks were removed since the first call, or undefined unless it is a development chain.
   * @throws if the node does not answer
   */
  removals(): Promise<number | undefined> {
    // A check in flight may have been sent before the removal, so callers share the next one.
    if (this.#next === undefined) {
      const next = this.#running.then(() => {
        this.#next = undefined
        return this.#look()
      })
      this.#next = next
      this.#running = next.catch(() => undefined)
    }
    return this.#next
  }

  /** Adds a block, which may be newer than the last check, to the next check. */
  note(block: BlockMark): void {
    if (this.#isDevelopment === false) return
    this.#noted.set(block.hash, block)
    const [oldest = ''] = this.#noted.keys()
    if (this.#noted.size > MOST_NOTED) this.#noted.delete(oldest)
  }

  async #look(): Promise<number | undefined> {
    if (!(await this.#askKind())) {
      this.#noted.clear()
      return undefined
    }
    const known = [...this.#noted.values()]
    this.#noted.clear()
    if (this.#mark !== undefined) known.push(this.#mark)
    // Read first: otherwise the next check would miss blocks removed in between.
    this.#mark = await this.#block('latest')
    const isThere = await Promise.all(known.map((block) => this.#has(block)))
    if (isThere.includes(false)) this.#removals++
    return this.#removals
  }

  /** Anvil, Hardhat and this node answer hardhat_metadata for development chains. */
  async #askKind(): Promise<boolean> {
    if (this.#isDevelopment !== undefined) return this.#isDevelopment
    try {
      const metadata = await this.#connection.call('hardhat_metadata')
      const { instanceId } = (metadata ?? {}) as { instanceId?: unknown }
      this.#isDevelopment = typeof instanceId === 'string'
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      this.#isDevelopment = false
    }
    return this.#isDevelopment
  }

  async #has({ number, hash }: BlockMark): Promise<boolean> {
    for (let look = 1; ; look++) {
      const block = await this.#block(number)
      if (block !== undefined) return block.hash === hash
      if (look === LOOKUPS) return false
      await delay(BETWEEN_LOOKUPS_MS)
    }
  }

  async #block(number: string): Promise<BlockMark | undefined> {
    const block = await this.#connection.call('eth_getBlockByNumber', number, false)
    const { number: found, hash } = (block ?? {}) as Partial<Record<keyof BlockMark, unknown>>
    return typeof found === 'string' && typeof hash === 'string'
      ? { number: found, hash }
      : undefined
  }
}
