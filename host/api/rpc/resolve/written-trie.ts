import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { DevChain } from '../../../chain/dev/dev-chain.ts'
import { ACCOUNT_ROW, STORAGE_ROW, type StateDiff } from '../../../evm/engine/state-diff.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { StateTrie } from '../../../storage/commit/trie/state-trie.ts'
import { EMPTY_ROOT } from '../../../storage/commit/trie/trie-node.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { requireStateHeight } from './block-lookup.ts'

/** Keys read between two looks at other work. */
const KEYS_PER_TURN = 64

/** Memory of a key in the trie, bytes: its nodes and their hashes. */
const BYTES_PER_KEY = 1024

/** Attempts at a state that changes meanwhile; the next one does not let other work in. */
const ATTEMPTS = 3

const NO_NODES = { get: () => undefined }

/** @throws UNSUPPORTED on a fork, most of whose keys only the other node knows */
export function requireWholeState({ fork }: DevChain, what: string): void {
  if (fork === undefined) return
  throw new LockstepError(
    'UNSUPPORTED',
    `${what} of a fork: only ${fork.url} knows all keys of its state`,
  )
}

/**
 * Builds Ethereum's trie of the latest or the pending state of a development chain, whose written keys are known. Its root is in no
 * header, since the chain commits to its state otherwise.
 * @throws UNSUPPORTED for an earlier block, and on a fork
 */
export async function writtenTrie(
  call: MethodCall,
  dev: DevChain,
  block: BlockArgument,
): Promise<StateTrie> {
  const { chain, pendingBlocks } = call.context
  const asked = requireStateHeight(call.context, block)
  requireWholeState(dev, 'no proofs')
  if (asked !== chain.latest) {
    const text = `no proof for block ${asked}: a development chain knows the keys of its latest state only, that of block ${chain.latest}`
    throw new LockstepError('UNSUPPORTED', text)
  }
  for (let attempt = 0; ; attempt++) {
    const mayYield = attempt < ATTEMPTS
    const pending = block.kind === 'pending' ? await pendingBlocks.latest() : undefined
    let isChanged = false
    const height = pending === undefined ? chain.latest : pending.block.header.number - 1
    const forget = dev.onAmend(() => {
      isChanged = true
    })
    try {
      const trie = await trieOf(call, dev, height, mayYield)
      if (isChanged || chain.latest !== height) continue
      if (pending !== undefined) trie.apply(pending.view.diff())
      return trie
    } finally {
      forget()
    }
  }
}

async function trieOf(
  call: MethodCall,
  { written }: DevChain,
  height: number,
  mayYield: boolean,
): Promise<StateTrie> {
  const { state, keccak256 } = call.context
  const view = state.view(height)
  const trie = new StateTrie(NO_NODES, keccak256, EMPTY_ROOT)
  for (const rows of batches(written.accounts())) {
    trie.apply(diffOf({ accounts: accountRows(view, rows) }))
    call.reserve(rows.length * BYTES_PER_KEY)
    const turn = mayYield ? call.yield() : undefined
    if (turn !== undefined) await turn
  }
  for (const rows of batches(written.slots())) {
    trie.apply(diffOf({ storage: slotRows(view, rows) }))
    call.reserve(rows.length * BYTES_PER_KEY)
    const turn = mayYield ? call.yield() : undefined
    if (turn !== undefined) await turn
  }
  return trie
}

/** Returns keys without repetitions, in batches. */
function* batches(keys: Iterable<Uint8Array>): Generator<readonly Uint8Array[]> {
  const seen = new Set<string>()
  let batch: Uint8Array[] = []
  for (const key of keys) {
    const text = bytesKey(key)
    if (seen.has(text)) continue
    seen.add(text)
    batch.push(key.slice())
    if (batch.length < KEYS_PER_TURN) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function diffOf(part: Partial<StateDiff>): StateDiff {
  const none = new Uint8Array()
  return { accounts: none, cleared: none, storage: none, codes: [], ...part }
}

/** A missing account is a row of zeros. */
function accountRows(view: StateView, addresses: readonly Uint8Array[]): Uint8Array {
  const rows = new Uint8Array(addresses.length * ACCOUNT_ROW)
  for (const [i, address] of addresses.entries()) {
    rows.set(address, i * ACCOUNT_ROW)
    const record = view.account(address)
    if (record !== undefined) rows.set(record, i * ACCOUNT_ROW + 20)
  }
  return rows
}

/** A missing slot is a row with the value 0. */
function slotRows(view: StateView, keys: readonly Uint8Array[]): Uint8Array {
  const rows = new Uint8Array(keys.length * STORAGE_ROW)
  for (const [i, key] of keys.entries()) {
    rows.set(key, i * STORAGE_ROW)
    const value = view.storage(key.subarray(0, 20), key.subarray(20))
    if (value !== undefined) rows.set(value, i * STORAGE_ROW + 52)
  }
  return rows
}
