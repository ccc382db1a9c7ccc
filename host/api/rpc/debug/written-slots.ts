import { bytesKey, compareBytes } from '../../../base/bytes.ts'
import type { DevChain } from '../../../chain/dev/dev-chain.ts'
import { CLEARED_ROW, STORAGE_ROW, type StateDiff } from '../../../evm/engine/state-diff.ts'
import type { SlotLeaf } from '../../../storage/commit/trie/state-trie.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { replayInTime } from '../resolve/imported.ts'
import { requireWholeState } from '../resolve/written-trie.ts'

/** Keys read between two looks at other work. */
const KEYS_PER_TURN = 1024

/** Memory of a slot in the answer, bytes. */
const BYTES_PER_SLOT = 512

/** Slots of one contract in the order of their hashes. */
export interface HashedSlots {
  readonly slots: Iterator<SlotLeaf, unknown>
  /** Returns the slot of a hash. */
  preimage(hash: Uint8Array): Uint8Array | undefined
}

/**
 * Returns the slots of a contract of a development chain before transaction `index` of a block, from the hash `start`
 * on. Every slot that was ever written is known by its key.
 * @throws UNSUPPORTED on a fork
 */
export async function writtenSlots(
  call: MethodCall,
  dev: DevChain,
  place: { readonly height: number; readonly index: number },
  address: Uint8Array,
  start: Uint8Array,
): Promise<HashedSlots> {
  requireWholeState(dev, 'slots cannot be listed')
  const { history, keccak256, replay } = call.context
  const { height, index } = place
  const before = history.before(height)
  const diff = await replayInTime(call, (costs) => replay(height, costs, index))
  const changed = changedSlots(diff, address)
  const preimages = new Map<string, Uint8Array>()
  const slots: SlotLeaf[] = []
  const known = new Set<string>()
  let read = 0
  for (const written of dev.written.slots()) {
    const turn = ++read % KEYS_PER_TURN === 0 ? call.yield() : undefined
    if (turn !== undefined) await turn
    if (compareBytes(written.subarray(0, 20), address) !== 0) continue
    const slot = written.slice(20)
    const name = bytesKey(slot)
    if (known.has(name)) continue
    known.add(name)
    const value =
      changed.values.get(name) ?? (changed.isCleared ? undefined : before.storage(address, slot))
    if (value === undefined || value.every((byte) => byte === 0)) continue
    const key = keccak256(slot)
    if (compareBytes(key, start) < 0) continue
    call.reserve(BYTES_PER_SLOT)
    slots.push({ key, value })
    preimages.set(bytesKey(key), slot)
  }
  return {
    slots: slots.sort((a, b) => compareBytes(a.key, b.key)).values(),
    preimage: (hash) => preimages.get(bytesKey(hash)),
  }
}

/** Returns the slots of a contract that a diff sets, and whether it clears the others. */
function changedSlots(
  { cleared, storage }: StateDiff,
  address: Uint8Array,
): { readonly values: ReadonlyMap<string, Uint8Array>; readonly isCleared: boolean } {
  const isOf = (rows: Uint8Array, at: number) =>
    compareBytes(rows.subarray(at, at + 20), address) === 0
  const values = new Map<string, Uint8Array>()
  for (let at = 0; at < storage.length; at += STORAGE_ROW) {
    if (!isOf(storage, at)) continue
    values.set(bytesKey(storage.slice(at + 20, at + 52)), storage.slice(at + 52, at + STORAGE_ROW))
  }
  let isCleared = false
  for (let at = 0; at < cleared.length; at += CLEARED_ROW) isCleared ||= isOf(cleared, at)
  return { values, isCleared }
}
