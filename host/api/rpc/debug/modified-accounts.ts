import { bytesKey, compareBytes, equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData, hexDigits } from '../../../base/hex.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import {
  ACCOUNT_ROW,
  CLEARED_ROW,
  STORAGE_ROW,
  type StateDiff,
} from '../../../evm/engine/state-diff.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { arrayTexts, jsonPieces } from '../answer/json-pieces.ts'
import type { ImportedChain, RpcContext } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { replayInTime } from '../resolve/imported.ts'

const ZERO = new Uint8Array(32)

/** A block by height or hash, as in the request. */
type Named = { readonly height: number } | { readonly hash: Uint8Array }

/** @throws NOT_FOUND */
function headerOf({ chain }: RpcContext, named: Named, unknown: () => string): BlockHeader {
  const height = 'hash' in named ? chain.heightOf(named.hash) : named.height
  const header = height === undefined ? undefined : chain.header(height)
  if (header === undefined) throw new LockstepError('NOT_FOUND', unknown())
  return header
}

/**
 * Returns the accounts that differ between the states after `start` and after `end`, ordered by their address hashes.
 */
export function modifiedByNumber(
  call: MethodCall,
  start: number,
  end: number | undefined,
): unknown {
  return modified(
    call,
    { height: start },
    end === undefined ? undefined : { height: end },
    `start block ${start.toString(16)} not found`,
    `end block ${end} not found`,
  )
}

export function modifiedByHash(
  call: MethodCall,
  start: Uint8Array,
  end: Uint8Array | undefined,
): unknown {
  return modified(
    call,
    { hash: start },
    end === undefined ? undefined : { hash: end },
    `start block ${hexDigits(start)} not found`,
    `end block ${hexDigits(end ?? start)} not found`,
  )
}

/** With a single block, returns the accounts that it changed. */
function modified(
  call: MethodCall,
  start: Named,
  end: Named | undefined,
  noStart: string,
  noEnd: string,
): unknown {
  const { context } = call
  const first = headerOf(context, start, () => noStart)
  const last = end === undefined ? first : headerOf(context, end, () => noEnd)
  if (end === undefined && first.number === 0) {
    throw new LockstepError('NOT_FOUND', 'block 0 has no parent')
  }
  const before = end === undefined ? knownHeader(context.chain, first.number - 1) : first
  if (before.number >= last.number) {
    const text = `start block height (${before.number}) must be less than end block height (${last.number})`
    throw new LockstepError('NOT_FOUND', text)
  }
  const { imported } = context
  return imported === undefined
    ? modifiedByReplay(call, before.number, last.number)
    : jsonPieces(call, arrayTexts(modifiedInTrie(imported, before, last)))
}

function* modifiedInTrie(
  { states }: ImportedChain,
  { stateRoot }: BlockHeader,
  { number }: BlockHeader,
): Generator<string> {
  for (const hash of states.after(number).trie.changedSince(stateRoot)) {
    const address = states.preimage(hash)
    if (address === undefined) {
      throw new LockstepError('NOT_FOUND', `no preimage found for hash ${hexDigits(hash)}`)
    }
    yield formatData(address)
  }
}

/** An account that a block has written, with the written slots. */
interface Written {
  readonly address: Uint8Array
  readonly slots: Map<string, Uint8Array>
}

/** Without a trie to compare, replays the blocks and compares the written accounts before and after. */
async function modifiedByReplay(call: MethodCall, from: number, to: number): Promise<string[]> {
  const { context } = call
  const written = new Map<string, Written>()
  await replayInTime(call, async (costs) => {
    for (let height = from + 1; height <= to; height++) {
      noteWrites(await context.replay(height, costs), written)
    }
  })
  const [before, after] = [context.state.view(from), context.state.view(to)]
  const changed: { readonly hash: Uint8Array; readonly address: Uint8Array }[] = []
  for (const one of written.values()) {
    if (isModified(one, before, after)) {
      changed.push({ hash: context.keccak256(one.address), address: one.address })
    }
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  changed.sort((a, b) => compareBytes(a.hash, b.hash))
  return changed.map(({ address }) => formatData(address))
}

function noteWrites(
  { accounts, cleared, storage }: StateDiff,
  written: Map<string, Written>,
): void {
  const note = (address: Uint8Array): Written => {
    const known = written.get(bytesKey(address))
    if (known !== undefined) return known
    const one = { address, slots: new Map() }
    written.set(bytesKey(address), one)
    return one
  }
  for (let at = 0; at < accounts.length; at += ACCOUNT_ROW) note(accounts.slice(at, at + 20))
  for (let at = 0; at < cleared.length; at += CLEARED_ROW) note(cleared.slice(at, at + 20))
  for (let at = 0; at < storage.length; at += STORAGE_ROW) {
    const slot = storage.slice(at + 20, at + 52)
    note(storage.slice(at, at + 20)).slots.set(bytesKey(slot), slot)
  }
}

/** Omits deleted accounts, because geth does not find them in the newer trie. */
function isModified({ address, slots }: Written, before: StateView, after: StateView): boolean {
  const account = after.account(address)?.slice()
  if (account === undefined) return false
  const old = before.account(address)
  if (old === undefined || !equalBytes(account, old)) return true
  for (const slot of slots.values()) {
    const value = after.storage(address, slot)?.slice() ?? ZERO
    if (!equalBytes(value, before.storage(address, slot) ?? ZERO)) return true
  }
  return false
}
