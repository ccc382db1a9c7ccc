import { delay } from '../../base/timer.ts'
import { NodeRefusal, type RpcConnection } from './rpc-connection.ts'

/** A thread of a node may be a moment behind: a block counts as removed once it is missed so often. */
const LOOKS = 3
const BETWEEN_LOOKS_MS = 50

/** Blocks that are looked for beside the newest of the look before. */
const MOST_NOTED = 64

/** A block as a node names it: its number as a QUANTITY. */
export interface BlockMark {
  readonly number: string
  readonly hash: string
}

/**
 * Sees whether a development chain was taken back (evm_revert, anvil_reset, anvil_rollback, anvil_reorg). Blocks of any
 * other chain are final to those who ask here: nothing is looked for there.
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
   * Number of times that blocks were removed since the first call, as of now; undefined unless the chain is one for
   * development.
   * @throws if the node does not answer
   */
  removals(): Promise<number | undefined> {
    // A look that is in flight may have asked before the removal: callers that come meanwhile share the next one.
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

  /** Has the next look find out whether this block was removed: it may have been made since the last look. */
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
    // Read before the others are looked for: blocks that are removed in between are missed by the next look.
    this.#mark = await this.#block('latest')
    const isThere = await Promise.all(known.map((block) => this.#has(block)))
    if (isThere.includes(false)) this.#removals++
    return this.#removals
  }

  /** Anvil, Hardhat and this node answer hardhat_metadata for chains that a developer drives. */
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
      if (look === LOOKS) return false
      await delay(BETWEEN_LOOKS_MS)
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
