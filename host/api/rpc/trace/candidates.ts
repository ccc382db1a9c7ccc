import { parseData } from '../../../base/hex.ts'
import {
  type AddressFilter,
  matchesFilter,
  type RewardTrace,
} from '../../../evm/trace/tracers/parity-trace.ts'
import { FROM_ROLES, TO_ROLES } from '../../../storage/store/address/address-rows.ts'
import type { SearchableIndex } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { rewardTraces } from './rewards.ts'

/** A block that may contain matching traces. */
export interface Candidate {
  readonly height: number
  /** Indices of its transactions that may match; undefined for all. */
  readonly watched?: readonly number[]
  readonly rewards: readonly RewardTrace[]
}

type Candidates = AsyncGenerator<Candidate, void, void>

/**
 * Yields the blocks of a range that may have traces between addresses, lowest first. Uses the address index if the
 * filter has addresses and the node has an index, otherwise all blocks that executed something.
 */
export async function* candidatesOf(
  call: MethodCall,
  filter: AddressFilter,
  first: number,
  last: number,
): Candidates {
  const { addressIndex, limits } = call.context
  const isNamed = filter.from.length + filter.to.length > 0
  if (addressIndex === undefined || !isNamed) {
    yield* walked(call, filter, first, last)
    return
  }
  await addressIndex.reach(last, limits.methodTimeoutMs)
  // States below the index are pruned: a block that executed something there fails when it is traced.
  const start = Math.max(first, addressIndex.earliest)
  yield* walked(call, filter, first, start - 1)
  yield* indexed(call, filter, addressIndex, start, last)
}

async function* walked(
  call: MethodCall,
  filter: AddressFilter,
  first: number,
  last: number,
): Candidates {
  const { chain } = call.context
  for (let height = first; height <= last; height++) {
    const turn = call.yield()
    if (turn !== undefined) await turn
    const rewards = rewardsFor(call, filter, height)
    const { gasUsed = 0n } = chain.header(height) ?? {}
    if (gasUsed > 0n || rewards.length > 0) yield { height, rewards }
  }
}

async function* indexed(
  call: MethodCall,
  filter: AddressFilter,
  index: SearchableIndex,
  first: number,
  last: number,
): Candidates {
  const hits = new Hits(index, filter, first, last)
  // The index does not contain rewards. After the first block without rewards there are none.
  let mayReward = call.context.imported !== undefined && filter.to.length > 0
  for (let height = first; height <= last; height++) {
    const turn = call.yield()
    if (turn !== undefined) await turn
    mayReward &&= rewardTraces(call.context, height).length > 0
    const rewards = mayReward ? rewardsFor(call, filter, height) : []
    if (!mayReward) height = hits.next
    if (height > last) return
    const watched = hits.take(height)
    if (watched.length > 0 || rewards.length > 0) yield { height, watched, rewards }
  }
}

function rewardsFor({ context }: MethodCall, filter: AddressFilter, height: number) {
  return rewardTraces(context, height).filter((reward) => matchesFilter(filter, reward))
}

/**
 * The transactions in which one address has certain roles. Reads the index in short steps, because the caller may
 * wait long between traces.
 */
class AddressHits {
  readonly #index: SearchableIndex
  readonly #address: Uint8Array
  readonly #roles: number
  readonly #last: number
  /** Height of the next transaction, infinite if there is none. */
  next = 0

  constructor(index: SearchableIndex, address: string, roles: number, first: number, last: number) {
    this.#index = index
    this.#address = parseData(address)
    this.#roles = roles
    this.#last = last
    this.#seek(first)
  }

  /** Returns the transactions at `height`, which must not be above `next`. */
  take(height: number): readonly number[] {
    if (this.next > height) return []
    const found = [...this.#places(height, height)].map(({ index }) => index)
    this.#seek(height + 1)
    return found
  }

  #seek(from: number): void {
    this.next = Number.POSITIVE_INFINITY
    for (const { height } of this.#places(from, this.#last)) {
      this.next = height
      break
    }
  }

  #places(from: number, to: number) {
    return this.#index.places(this.#address, this.#roles, { from, to })
  }
}

/** The transactions that may match a filter, from the index. */
class Hits {
  readonly #from: readonly AddressHits[]
  readonly #to: readonly AddressHits[]
  readonly #needsBoth: boolean

  constructor(
    index: SearchableIndex,
    { from, to, isUnion }: AddressFilter,
    first: number,
    last: number,
  ) {
    const open = (addresses: readonly string[], roles: number) =>
      addresses.map((address) => new AddressHits(index, address, roles, first, last))
    this.#from = open(from, FROM_ROLES)
    this.#to = open(to, TO_ROLES)
    this.#needsBoth = !isUnion && from.length > 0 && to.length > 0
  }

  /** Height of the next transaction of any address, infinite if there is none. */
  get next(): number {
    return [...this.#from, ...this.#to].reduce(
      (least, { next }) => Math.min(least, next),
      Number.POSITIVE_INFINITY,
    )
  }

  /** Returns the transactions at `height`, which must not be above `next`. */
  take(height: number): readonly number[] {
    const senders = this.#from.flatMap((hits) => hits.take(height))
    const receivers = this.#to.flatMap((hits) => hits.take(height))
    const found = this.#needsBoth
      ? new Set(senders.filter((index) => receivers.includes(index)))
      : new Set([...senders, ...receivers])
    return [...found].sort((a, b) => a - b)
  }
}
