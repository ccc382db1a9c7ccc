import { formatData, hexDigits } from '../../../base/hex.ts'
import type { ImportedStates } from '../../../chain/consensus/import/imported-states.ts'
import { checksumAddress } from '../../../evm/chain-types/address.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { AccountLeaf, StateTrie } from '../../../storage/commit/trie/state-trie.ts'
import { jsonPieces, objectTexts } from '../answer/json-pieces.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound, requireFinished, requireStateHeight } from '../resolve/block-lookup.ts'
import { requireImported } from '../resolve/imported.ts'

/** geth's maximum accounts per response. */
const MAX_ACCOUNTS = 256

/** The requested part of a state. */
interface Range {
  readonly start: Uint8Array
  /** 1 to 256. */
  readonly max: number
  readonly hasCode: boolean
  readonly hasStorage: boolean
  /** Also includes accounts whose address preimage is unknown. */
  readonly hasNameless: boolean
}

/** Returns the first 256 accounts after a block, with code and slots. */
export function dumpBlock(call: MethodCall, block: BlockArgument): unknown {
  return dump(call, block, {
    start: new Uint8Array(),
    max: MAX_ACCOUNTS,
    hasCode: true,
    hasStorage: true,
    hasNameless: false,
  })
}

/** Returns up to 256 accounts after a block, ordered by address hash, starting at `start`. */
export function accountRange(
  call: MethodCall,
  block: BlockArgument,
  start: Uint8Array,
  max: number,
  noCode: boolean,
  noStorage: boolean,
  incompletes: boolean,
): unknown {
  // Parsed like a hash in geth: the last 32 bytes, padded with leading zeros.
  const from = new Uint8Array(32)
  const last = start.subarray(-32)
  from.set(last, 32 - last.length)
  return dump(call, block, {
    start: from,
    max: max === 0 ? MAX_ACCOUNTS : Math.min(max, MAX_ACCOUNTS),
    hasCode: !noCode,
    hasStorage: !noStorage,
    hasNameless: incompletes,
  })
}

function dump(call: MethodCall, block: BlockArgument, range: Range): unknown {
  const { context } = call
  const { states } = requireImported(
    context,
    'accounts cannot be listed',
    'its state is not ordered by hash; `lockstep debug dump-db` writes all rows of a stopped node',
  )
  requireFinished(block, 'no list of the accounts')
  const height = requireStateHeight(context, block, blockNotFound)
  const state = new Dump(states, height, context.keccak256, range)
  return jsonPieces(call, objectTexts(state.members()))
}

type Members = Generator<readonly [name: string, texts: Iterable<string>]>

/** Streams a state in geth's dump format. */
class Dump {
  readonly #states: ImportedStates
  readonly #view: StateView
  readonly #trie: StateTrie
  readonly #keccak256: (bytes: Uint8Array) => Uint8Array
  readonly #range: Range
  #next: Uint8Array | undefined

  constructor(
    states: ImportedStates,
    height: number,
    keccak256: (bytes: Uint8Array) => Uint8Array,
    range: Range,
  ) {
    const state = states.after(height)
    this.#states = states
    this.#view = state
    this.#trie = state.trie
    this.#keccak256 = keccak256
    this.#range = range
  }

  *members(): Members {
    yield ['root', [JSON.stringify(hexDigits(this.#trie.root()))]]
    yield ['accounts', objectTexts(this.#accounts())]
    if (this.#next !== undefined) yield ['next', [JSON.stringify(formatData(this.#next))]]
  }

  *#accounts(): Members {
    const { start, max, hasNameless } = this.#range
    let count = 0
    for (const leaf of this.#trie.accounts(start)) {
      if (count >= max) {
        this.#next = leaf.key
        return
      }
      const address = this.#states.preimage(leaf.key)
      if (address === undefined && !hasNameless) continue
      const name =
        address === undefined
          ? `pre(${formatData(leaf.key)})`
          : checksumAddress(address, this.#keccak256)
      yield [name, objectTexts(this.#account(leaf, address))]
      count++
    }
  }

  *#account({ key, account, storageRoot }: AccountLeaf, address: Uint8Array | undefined): Members {
    const { hasCode, hasStorage } = this.#range
    const text = (name: string, value: unknown) => [name, [JSON.stringify(value)]] as const
    yield text('balance', account.balance.toString())
    yield text('nonce', Number(account.nonce))
    yield text('root', formatData(storageRoot))
    yield text('codeHash', formatData(account.codeHash))
    const code = hasCode ? this.#view.code(account.codeHash) : undefined
    if (code !== undefined && code.length > 0) yield text('code', formatData(code))
    if (hasStorage) yield* this.#storage(storageRoot)
    if (address !== undefined) yield text('address', formatData(address))
    yield text('key', formatData(key))
  }

  /** Omitted if no slot preimage is known, as in geth. */
  *#storage(storageRoot: Uint8Array): Members {
    const slots = this.#slots(storageRoot)
    const first = slots.next()
    if (first.done === true) return
    yield ['storage', objectTexts(preceded(first.value, slots))]
  }

  *#slots(storageRoot: Uint8Array): Members {
    for (const { key, value } of this.#trie.slots(storageRoot)) {
      const slot = this.#states.preimage(key)
      if (slot !== undefined) yield [formatData(slot), [JSON.stringify(hexDigits(value))]]
    }
  }
}

function* preceded<Value>(first: Value, others: Iterable<Value>): Generator<Value> {
  yield first
  yield* others
}
