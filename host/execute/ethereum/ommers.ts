import { bytesKey } from '../../base/bytes.ts'
import { type EthereumHeader, encodeHeader } from '../../chain-types/ethereum-header.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import type { StateFork } from '../../state/state-fork.ts'
import { checkHeader, type HeaderParent, invalidBlock } from './header-rules.ts'
import { credit } from './replay-state.ts'
import type { BlockPosition, BlockRules } from './rules.ts'

const MAX_OMMERS = 2
/** How many generations back an ommer's parent may be. */
const MAX_DEPTH = 7
const ETHER = 10n ** 18n

/** A block that others are built on. */
export interface Ancestor extends HeaderParent {
  readonly ommers: readonly EthereumHeader[]
  readonly totalDifficulty: bigint
}

/** What deciding about ommers needs of the chain. */
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
  if (ommers.length > MAX_OMMERS) throw invalidBlock(`${ommers.length} ommers`)
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
    if (depth < 1) throw invalidBlock("an ommer's parent is no ancestor")
    const parent = ancestors[depth] as Ancestor
    const rules = context.rulesAt({ ...ommer, parentTotalDifficulty: parent.totalDifficulty })
    checkHeader(ommer, parent, rules)
  }
}

/** Wei for a block before the merge: EIP-649, EIP-1234. */
function blockReward(revision: Revision): bigint {
  if (atLeast(revision, 'Constantinople')) return 2n * ETHER
  return (atLeast(revision, 'Byzantium') ? 3n : 5n) * ETHER
}

/** Pays the miners of a block and of its ommers (yellow paper, 11.3). Nothing from Paris on. */
export function payRewards(
  state: StateFork,
  header: EthereumHeader,
  ommers: readonly EthereumHeader[],
  revision: Revision,
): void {
  if (atLeast(revision, 'Paris')) return
  const reward = blockReward(revision)
  for (const ommer of ommers) {
    credit(state, ommer.coinbase, ((8n + ommer.number - header.number) * reward) / 8n)
  }
  credit(state, header.coinbase, reward + (reward / 32n) * BigInt(ommers.length))
}
