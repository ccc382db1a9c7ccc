import { bytesKey } from '../../../base/bytes.ts'
import { type EthereumHeader, encodeHeader } from '../../chain-types/ethereum-header.ts'
import type { BlockPosition, BlockRules } from './forks.ts'
import { checkHeader, type HeaderParent, invalidBlock } from './header-rules.ts'

const MAX_OMMERS = 2
/** Generations from a block back to its ommer's parent at most. */
const MAX_DEPTH = 7

/** A block that others are built on. */
export interface Ancestor extends HeaderParent {
  readonly ommers: readonly EthereumHeader[]
  readonly totalDifficulty: bigint
}

/** The part of the chain that decides about ommers. */
export interface OmmerContext {
  readonly keccak256: (bytes: Uint8Array) => Uint8Array
  /** The parent and its ancestors, at most seven, latest first. */
  readonly ancestors: readonly Ancestor[]
  readonly rulesAt: (position: BlockPosition) => BlockRules
}

/**
 * Checks a block's ommers (yellow paper, 11.1): at most two, valid headers, children of an ancestor other
 * than the parent, neither ancestors nor ommers already.
 * @throws BLOCK_INVALID naming the rule.
 */
export function checkOmmers(ommers: readonly EthereumHeader[], context: OmmerContext): void {
  if (ommers.length === 0) return
  if (ommers.length > MAX_OMMERS)
    throw invalidBlock(`${ommers.length} ommers, more than ${MAX_OMMERS}`)
  const { keccak256 } = context
  const ancestors = context.ancestors.slice(0, MAX_DEPTH)
  const taken = new Set<string>()
  for (const { hash, ommers: theirs } of ancestors) {
    taken.add(bytesKey(hash))
    for (const ommer of theirs) taken.add(bytesKey(keccak256(encodeHeader(ommer))))
  }
  for (const ommer of ommers) {
    const key = bytesKey(keccak256(encodeHeader(ommer)))
    if (taken.has(key)) throw invalidBlock('an ommer is in the chain already')
    taken.add(key)
    const parentKey = bytesKey(ommer.parentHash)
    const depth = ancestors.findIndex(({ hash }) => bytesKey(hash) === parentKey)
    if (depth < 1) throw invalidBlock("an ommer's parent is not an ancestor of the block's parent")
    const parent = ancestors[depth] as Ancestor
    const rules = context.rulesAt({ ...ommer, parentTotalDifficulty: parent.totalDifficulty })
    checkHeader(ommer, parent, rules)
  }
}
