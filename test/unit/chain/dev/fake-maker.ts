import type { BlockMaker, BlockSettings } from '../../../../host/chain/dev/block-maker.ts'
import { SECOND } from '../../../../host/chain/dev/chain-clock.ts'
import type { AmendmentMaking } from '../../../../host/chain/dev/dev-chain.ts'
import type { BlockRemoval } from '../../../../host/chain/dev/dev-memory.ts'

/** Produces the requested blocks in memory. */
export class FakeBlockProducer implements BlockMaker {
  readonly written = { accounts: () => [], slots: () => [] }
  readonly blocks: BlockSettings[] = []
  readonly events: string[] = []
  readonly earliest = 0
  readonly fork = undefined
  readonly nextBaseFee = 7n
  isHalted = false
  /** Number of amendments by height. */
  readonly amended = new Map<number, number>()
  /** Error to throw in place of the next block. */
  failure: Error | undefined
  #busy = false

  get height(): number {
    return this.blocks.length
  }

  get time(): bigint {
    return this.blocks.at(-1)?.time ?? 1_000n * SECOND
  }

  /** Number of transactions in the next block. */
  held = 0

  async make(settings: BlockSettings): Promise<number> {
    await this.#alone(() => {
      if (this.failure !== undefined) throw this.failure
      if (settings.time <= this.time) throw new Error('time goes back')
      this.blocks.push(settings)
      this.events.push(`block ${this.height}`)
    })
    return this.held
  }

  amendments(height: number): number {
    return this.amended.get(height) ?? 0
  }

  async amend(_: AmendmentMaking): Promise<void> {
    await this.#alone(() => {
      this.amended.set(this.height, this.amendments(this.height) + 1)
      this.events.push(`amend ${this.height}`)
    })
  }

  async cut({ height, amendments }: BlockRemoval): Promise<void> {
    await this.#alone(() => {
      this.blocks.length = height
      for (const above of [...this.amended.keys()]) if (above > height) this.amended.delete(above)
      this.amended.set(height, amendments)
      this.events.push(`cut ${height}`)
    })
  }

  async refork(): Promise<void> {
    throw new Error('no fork')
  }

  /** Fails if two operations run at the same time. */
  async #alone(work: () => void): Promise<void> {
    if (this.#busy) throw new Error('two at a time')
    this.#busy = true
    await new Promise((resolve) => setImmediate(resolve))
    this.#busy = false
    work()
  }
}
