import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { compareBytes, concatBytes, EMPTY_BYTES } from '../../../base/bytes.ts'
import type { IavlNode } from '../iavl/iavl.ts'
import type {
  CommitmentProof,
  ExistenceProof,
  InnerOp,
  NonExistenceProof,
} from './commitment-proof.ts'

/** The parts of a hashed node that a proof needs. */
type ProvenNode = Pick<IavlNode, 'key' | 'value' | 'version' | 'height' | 'size' | 'hash'>

/** Access to the children of inner nodes, in memory or on disk. */
export interface IavlChildren<Node extends ProvenNode> {
  left(node: Node): Node
  right(node: Node): Node
}

/** One step of the descent from a root. */
interface Turn<Node> {
  readonly parent: Node
  readonly isLeft: boolean
  readonly taken: Node
  readonly other: Node
}

interface Path<Node> {
  /** From the root down. */
  readonly turns: readonly Turn<Node>[]
  readonly leaf: Node
}

/** Each child's hash is preceded by its length. */
const HASH_LENGTH = Uint8Array.of(32)

/** Proves the value of a key, or its absence, against the root hash of its tree. */
export function proveIavl<Node extends ProvenNode>(
  root: Node | undefined,
  children: IavlChildren<Node>,
  key: Uint8Array,
): CommitmentProof {
  if (root === undefined) return absence(key, undefined, undefined)
  const path = descend(root, children, (node) => compareBytes(key, node.key) < 0)
  const order = compareBytes(key, path.leaf.key)
  const nearest = existence(path)
  if (order === 0) return nearest
  // An inner node's key is the smallest of its right subtree. So the descent ends at the last leaf below the key, or,
  // if it never turned right, at the first leaf.
  if (order < 0) return absence(key, undefined, nearest)
  const next = nextPath(path, children)
  return absence(key, nearest, next && existence(next))
}

function absence(
  key: Uint8Array,
  left: ExistenceProof | undefined,
  right: ExistenceProof | undefined,
): NonExistenceProof {
  return { kind: 'nonexist', key, left, right }
}

function descend<Node extends ProvenNode>(
  from: Node,
  children: IavlChildren<Node>,
  turnsLeft: (node: Node) => boolean,
): Path<Node> {
  const turns: Turn<Node>[] = []
  let leaf = from
  while (leaf.height > 0) {
    const turn = turnAt(leaf, children, turnsLeft(leaf))
    turns.push(turn)
    leaf = turn.taken
  }
  return { turns, leaf }
}

function turnAt<Node extends ProvenNode>(
  parent: Node,
  children: IavlChildren<Node>,
  isLeft: boolean,
): Turn<Node> {
  const [left, right] = [children.left(parent), children.right(parent)]
  return isLeft
    ? { parent, isLeft, taken: left, other: right }
    : { parent, isLeft, taken: right, other: left }
}

/** Returns the path to the next leaf: it turns right at the last left turn, then only left. */
function nextPath<Node extends ProvenNode>(
  { turns }: Path<Node>,
  children: IavlChildren<Node>,
): Path<Node> | undefined {
  const at = turns.findLastIndex(({ isLeft }) => isLeft)
  const turn = turns[at]
  if (turn === undefined) return undefined
  const { parent, taken, other } = turn
  const below = descend(other, children, () => true)
  const across: Turn<Node> = { parent, isLeft: false, taken: other, other: taken }
  return { turns: [...turns.slice(0, at), across, ...below.turns], leaf: below.leaf }
}

function existence<Node extends ProvenNode>({ turns, leaf }: Path<Node>): ExistenceProof {
  return {
    kind: 'exist',
    key: leaf.key,
    value: leaf.value as Uint8Array,
    leafPrefix: nodePrefix(leaf),
    path: turns.toReversed().map(innerOp),
  }
}

function innerOp<Node extends ProvenNode>({ parent, isLeft, other }: Turn<Node>): InnerOp {
  const prefix = nodePrefix(parent)
  const sibling = concatBytes([HASH_LENGTH, other.hash as Uint8Array])
  return isLeft
    ? { prefix: concatBytes([prefix, HASH_LENGTH]), suffix: sibling }
    : { prefix: concatBytes([prefix, sibling, HASH_LENGTH]), suffix: EMPTY_BYTES }
}

/** Returns the first bytes of a node's preimage: height, size and version as signed varints. */
function nodePrefix({ height, size, version }: ProvenNode): Uint8Array {
  return new BinaryWriter().sint64(height).sint64(size).sint64(version).finish()
}
