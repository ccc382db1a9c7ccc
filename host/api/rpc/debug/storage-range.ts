import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { SlotLeaf } from '../../../storage/commit/trie/state-trie.ts'
import { jsonPieces, objectTexts } from '../answer/json-pieces.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound, requireFinished, requireStateHeight } from '../resolve/block-lookup.ts'
import { replayInTime, requireImported } from '../resolve/imported.ts'
import { checkTraceable } from './run-trace.ts'
import { type HashedSlots, writtenSlots } from './written-slots.ts'

/** Encodes a value of less than 32 bytes as a word. */
function word(value: Uint8Array): string {
  return `0x${formatData(value).slice(2).padStart(64, '0')}`
}

/** Returns slots of a contract before transaction `index` of a block, ordered by their hashes, starting at `start`. */
export async function storageRangeAt(
  call: MethodCall,
  block: BlockArgument,
  index: number,
  address: Uint8Array,
  start: Uint8Array,
  max: number,
): Promise<unknown> {
  const { context } = call
  const read = slotSource(call)
  requireFinished(block, 'no list of the slots')
  const height = requireStateHeight(context, block, blockNotFound)
  if (height === 0) throw new LockstepError('UNSUPPORTED', 'genesis has no transactions')
  checkTraceable(context, height)
  const { header, transactions } = context.chain.block(height) ?? {}
  const count = transactions?.length ?? 0
  if (index > 0 ? index >= count : false) {
    const name = formatData(header?.hash ?? new Uint8Array())
    throw new LockstepError(
      'NOT_FOUND',
      `transaction index ${index} out of range for block ${name}`,
    )
  }
  const { slots, preimage } = await read({ height, index }, address, start)
  return jsonPieces(call, objectTexts(rangeMembers(slots, max, preimage)))
}

type SlotReader = (
  place: { readonly height: number; readonly index: number },
  address: Uint8Array,
  start: Uint8Array,
) => Promise<HashedSlots>

/** @throws UNSUPPORTED on a native chain that is not for development */
function slotSource(call: MethodCall): SlotReader {
  const { dev } = call.context
  if (dev !== undefined) return (...asked) => writtenSlots(call, dev, ...asked)
  const { states } = requireImported(
    call.context,
    'slots cannot be listed',
    'its state is not ordered by hash; debug_traceTransaction with prestateTracer returns those that a transaction touched',
  )
  return async ({ height, index }, address, start) => {
    const { trie } = await replayInTime(call, (costs) => states.within(height, index, costs))
    const slots = trie.slots(trie.storageRoot(address), start)
    return { slots, preimage: (hash) => states.preimage(hash) }
  }
}

function* rangeMembers(
  slots: Iterator<SlotLeaf, unknown>,
  max: number,
  preimage: (hash: Uint8Array) => Uint8Array | undefined,
): Generator<readonly [string, Iterable<string>]> {
  let next: SlotLeaf | undefined
  yield ['storage', objectTexts(shown())]
  yield ['nextKey', [next === undefined ? 'null' : JSON.stringify(formatData(next.key))]]

  function* shown(): Generator<readonly [string, Iterable<string>]> {
    for (let count = 0; ; count++) {
      const step = slots.next()
      if (step.done === true) return
      if (count >= max) {
        next = step.value
        return
      }
      const { key, value } = step.value
      const slot = preimage(key)
      const entry = { key: slot === undefined ? null : formatData(slot), value: word(value) }
      yield [formatData(key), [JSON.stringify(entry)]]
    }
  }
}
