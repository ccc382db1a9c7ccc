import { bytesKey } from '../../../base/bytes.ts'
import { type EthereumHeader, encodeRlpHeader } from '../../chain-types/ethereum-header.ts'
import type { BlockPosition, BlockRules } from './forks.ts'
import { checkHeader, type HeaderParent, invalidBlock } from './header-rules.ts'

const MAX_OMMERS = 2
/** Maximum generations from a block back to its ommer's parent. */
const MAX_DEPTH = 7

/** A block with descendants. */
export interface Ancestor extends HeaderParent {
  readonly ommers: readonly EthereumHeader[]
  readonly totalDifficulty: bigint
}

/** The part of the chain that ommer checks need. */
export interface OmmerContext {
  readonly keccak256: (bytes: Uint8Array) => Uint8Array
  /** The parent and its ancestors, at most seven, latest first. */
  readonly ancestors: readonly Ancestor[]
  readonly rulesAt: (position: BlockPosition) => BlockRules
}

/**
 * Checks a block's ommers (Yellow Paper, section 11.1): at most two valid headers, each a child of an ancestor other
 * than the parent, and neither an ancestor nor an earlier ommer.
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
    for (const ommer of theirs) taken.add(bytesKey(keccak256(encodeRlpHeader(ommer))))
  }
  for (const ommer of ommers) {
    const key = bytesKey(keccak256(encodeRlpHeader(ommer)))
    if (taken.has(key)) throw invalidBlock('an ommer is already in the chain')
    taken.add(key)
    const parentKey = bytesKey(ommer.parentHash)
    const depth = ancestors.findIndex(({ hash }) => bytesKey(hash) === parentKey)
    if (depth < 1) throw invalidBlock("an ommer's parent is not an ancestor of the block's parent")
    const parent = ancestors[depth] as Ancestor
    const rules = context.rulesAt({ ...ommer, parentTotalDifficulty: parent.totalDifficulty })
    checkHeader(ommer, parent, rules)
  }
}
