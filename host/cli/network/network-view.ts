import { messageOf } from '../../base/error.ts'
import type { ReadyFacts } from '../client/ready-file.ts'
import { type Sample, takeSample } from '../status/sample.ts'
import type { NetworkHome } from './network-homes.ts'

/** The state of a node at one time. */
export interface NodeState {
  readonly node: NetworkHome
  /** Its addresses; undefined if no process runs in its home. */
  readonly facts: ReadyFacts | undefined
  /** Undefined if it does not answer. */
  readonly sample: Sample | undefined
  /** Why there is no sample. */
  readonly trouble: string | undefined
}

/** The nodes at one time, with the values that need all of them. */
export interface NetworkState {
  readonly nodes: readonly NodeState[]
  /** Highest height of all nodes; 0 if none answers. */
  readonly height: number
  /** Seconds between blocks, by the last samples. */
  readonly blockSeconds: number | undefined
  /** Nodes whose app hash at their height differs from that of the others: they have diverged. */
  readonly diverged: readonly string[]
}

/** Takes a sample of a node. */
export async function lookAt(
  node: NetworkHome,
  facts: ReadyFacts | undefined,
  end: string | undefined,
): Promise<NodeState> {
  if (facts === undefined) {
    const trouble = end === undefined ? 'not running' : `ended with ${end}`
    return { node, facts, sample: undefined, trouble }
  }
  if (facts.consensus === null) {
    return { node, facts, sample: undefined, trouble: 'has no consensus RPC' }
  }
  try {
    const addresses = { consensus: facts.consensus, metrics: undefined }
    return { node, facts, sample: await takeSample(addresses), trouble: undefined }
  } catch (thrown) {
    return { node, facts, sample: undefined, trouble: messageOf(thrown) }
  }
}

/** Returns the names of nodes whose app hash is not that of the majority at the same height. */
function divergedOf(nodes: readonly NodeState[]): readonly string[] {
  const samples = nodes.flatMap(({ sample }) => (sample === undefined ? [] : [sample]))
  const withHash = (height: number, hash: string) =>
    samples.filter((other) => other.height === height && other.appHash === hash).length
  const mostWith = ({ height }: Sample) =>
    Math.max(...samples.map((other) => withHash(height, other.appHash)))
  return nodes
    .filter(({ sample }) => {
      return sample !== undefined && withHash(sample.height, sample.appHash) < mostWith(sample)
    })
    .map(({ node }) => node.name)
}

/** Older samples are dropped from the current rate. */
const WINDOW_MS = 10_000

interface Newest {
  readonly at: number
  readonly height: number
  readonly blockTime: number
}

/** Combines the samples of all nodes, and keeps the latest blocks of the last seconds. */
export class NetworkHistory {
  readonly #newest: Newest[] = []

  add(nodes: readonly NodeState[]): NetworkState {
    const samples = nodes.flatMap(({ sample }) => (sample === undefined ? [] : [sample]))
    const furthest = samples.reduce<Sample | undefined>(
      (best, sample) => (best !== undefined && best.height >= sample.height ? best : sample),
      undefined,
    )
    if (furthest !== undefined) this.#remember(furthest)
    const first = this.#newest[0]
    const last = this.#newest.at(-1)
    const blocks = (last?.height ?? 0) - (first?.height ?? 0)
    return {
      nodes,
      height: furthest?.height ?? 0,
      blockSeconds:
        first === undefined || last === undefined || blocks <= 0
          ? undefined
          : (last.blockTime - first.blockTime) / 1000 / blocks,
      diverged: divergedOf(nodes),
    }
  }

  #remember({ at, height, blockTime }: Sample): void {
    if (height === 0) return
    this.#newest.push({ at, height, blockTime })
    while (this.#newest.length > 2 && at - (this.#newest[0] as Newest).at > WINDOW_MS) {
      this.#newest.shift()
    }
  }
}
