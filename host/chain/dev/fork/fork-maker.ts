import { LockstepError } from '../../../base/error.ts'
import type { WrittenKeys } from '../../../evm/state/written-keys.ts'
import type { BlockMaker, BlockSettings } from '../block-maker.ts'
import { SECOND } from '../chain-clock.ts'
import type { AmendmentMaking, ForkBlockId } from '../dev-chain.ts'
import type { BlockRemoval } from '../dev-memory.ts'
import type { ForkChain } from './fork-chain.ts'

/** Makes the blocks after a fork block. */
export class ForkMaker implements BlockMaker {
  readonly fork: ForkBlockId
  readonly isHalted = false
  readonly #chain: ForkChain

  constructor(chain: ForkChain, fork: ForkBlockId) {
    this.#chain = chain
    this.fork = fork
  }

  get height(): number {
    return this.#chain.head.number
  }

  get earliest(): number {
    return this.fork.block
  }

  get time(): bigint {
    return BigInt(this.#chain.head.timestamp) * SECOND
  }

  get nextBaseFee(): bigint {
    return this.#chain.nextBaseFee
  }

  async make({ time, ...settings }: BlockSettings): Promise<number> {
    const made = await this.#chain.make({ ...settings, timestamp: Number(time / SECOND) })
    return made.receipts.length
  }

  get written(): WrittenKeys {
    return this.#chain.written
  }

  amendments(height: number): number {
    return this.#chain.amendments(height)
  }

  amend(make: AmendmentMaking): Promise<void> {
    return this.#chain.amend(make)
  }

  cut(cut: BlockRemoval): Promise<void> {
    return this.#chain.cut(cut)
  }

  async refork(): Promise<void> {
    throw new LockstepError('UNSUPPORTED', 'a running node cannot change its fork', {
      hint: 'restart it with another --dev.fork or --dev.fork-block',
    })
  }
}
