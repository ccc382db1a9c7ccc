import { LockstepError } from '../../base/error.ts'
import { lookup } from '../../base/lookup.ts'
import type { EthereumHeader } from '../../evm/chain-types/ethereum-header.ts'
import { atLeast, REVISIONS, type Revision } from '../../evm/chain-types/revision.ts'
import { type BlobSchedule, blobSchedule } from '../../evm/execute/blob-gas.ts'
import { type BlockRules, type EthereumNetwork, rulesAt } from '../../evm/execute/ethereum/forks.ts'
import { NETWORKS } from '../../evm/execute/ethereum/networks.ts'
import type { JsonMember } from '../../evm/trace/bundle/bundle-json.ts'
import { isGiven } from './answer-member.ts'
import type { NodeClient } from './node-client.ts'
import type { NodeKind } from './node-kind.ts'

/** The rules of one block, and their source. */
export interface FoundRules extends BlockRules {
  readonly from: string
}

/** A total difficulty above that at which any network merged. */
const MERGED = 2n ** 255n

export interface RulesQuestion {
  readonly client: NodeClient
  readonly kind: NodeKind
  readonly chainId: bigint
  readonly header: EthereumHeader
  /** The revision that the user specified. */
  readonly revision: Revision | undefined
}

/**
 * Returns the rules of a block: from the user, else of a public network, else from the node's fork configuration,
 * else from the header's fields.
 * @throws UNSUPPORTED if these are ambiguous; errors of asking the node
 */
export async function rulesOf(question: RulesQuestion): Promise<FoundRules> {
  const { chainId, header, revision } = question
  if (revision !== undefined) return plain(revision, 'the option `revision`')
  const network = await publicNetwork(question)
  if (network !== undefined)
    return { ...networkRules(network, header), from: `the forks of chain ${chainId}` }
  const [lowest, highest] = revisionsOf(header)
  const told = await reportedRules(question)
  if (told !== undefined && atLeast(told.revision, lowest) && atLeast(highest, told.revision)) {
    return told
  }
  if (lowest === highest) return plain(lowest, 'the fields of its header')
  if (atLeast(lowest, 'Prague')) return plain(lowest, 'the fields of its header, at least')
  throw new LockstepError(
    'UNSUPPORTED',
    `the forks of chain ${chainId} are unknown, and the header of block ${header.number} fits ${lowest} to ${highest}`,
    { hint: `set the option \`revision\` to one of: ${REVISIONS.join(', ')}` },
  )
}

/** Returns the rules of a block that the node itself reports. @throws errors of asking the node */
export async function reportedRules(question: RulesQuestion): Promise<FoundRules | undefined> {
  return (await anvilRules(question)) ?? (await configuredRules(question))
}

/** Returns the public network of a block, or undefined if a development node made the block after forking it. */
export async function publicNetwork(question: RulesQuestion): Promise<EthereumNetwork | undefined> {
  const network = NETWORKS.find(({ chainId }) => chainId === question.chainId)
  // A development node has its own fork even if it continues a public chain
  const isOwn = network !== undefined && question.kind === 'anvil' && (await isLocal(question))
  return isOwn ? undefined : network
}

/** Returns the rules of a block of a public network. */
export function networkRules(
  network: EthereumNetwork,
  { number, timestamp, difficulty }: EthereumHeader,
): BlockRules {
  // Nodes no longer report total difficulty. A block without difficulty is after the merge.
  const parentTotalDifficulty = difficulty === 0n ? MERGED : 0n
  return rulesAt(network, { number, timestamp, parentTotalDifficulty })
}

/** Returns the first and the last revision whose headers have these fields. */
export function revisionsOf(header: EthereumHeader): readonly [Revision, Revision] {
  if (header.blockAccessListHash !== undefined) return ['Amsterdam', 'Amsterdam']
  if (header.requestsHash !== undefined) return ['Prague', 'Osaka']
  if (header.parentBeaconBlockRoot !== undefined) return ['Cancun', 'Cancun']
  if (header.withdrawalsRoot !== undefined) return ['Shanghai', 'Shanghai']
  if (header.baseFeePerGas === undefined) return ['Frontier', 'Berlin']
  return header.difficulty === 0n ? ['Paris', 'Paris'] : ['London', 'London']
}

function plain(
  revision: Revision,
  from: string,
  blobs: BlobSchedule | undefined = blobSchedule(revision),
): FoundRules {
  return { revision, blobs, bombDelay: 0n, sinceDao: undefined, from }
}

/** Anvil's names of revisions, if they differ. */
const ANVIL_NAMES: Readonly<Record<string, Revision>> = {
  tangerine: 'TangerineWhistle',
  constantinoplefix: 'Petersburg',
  merge: 'Paris',
  muirglacier: 'Istanbul',
  arrowglacier: 'London',
  grayglacier: 'London',
}

interface AnvilInfo {
  readonly hardFork: string
  /** The last block that anvil did not make itself; undefined if it made all. */
  readonly forkedAt: number | undefined
}

function readAnvil(info: JsonMember): AnvilInfo {
  const fork = info.at('forkConfig')
  const number = isGiven(fork) ? fork.at('forkBlockNumber').value : undefined
  return {
    hardFork: info.at('hardFork').text(),
    forkedAt: typeof number === 'number' || typeof number === 'string' ? Number(number) : undefined,
  }
}

/** Returns true if anvil itself made the block. */
async function isLocal({ client, header }: RulesQuestion): Promise<boolean> {
  const { forkedAt } = await client.read('anvil_nodeInfo', [], readAnvil)
  return forkedAt === undefined || Number(header.number) > forkedAt
}

async function anvilRules({ client, kind }: RulesQuestion): Promise<FoundRules | undefined> {
  if (kind !== 'anvil') return undefined
  const { hardFork } = await client.read('anvil_nodeInfo', [], readAnvil)
  const name = hardFork.toLowerCase().replaceAll(/[^a-z]/g, '')
  const revision =
    lookup(ANVIL_NAMES, name) ?? REVISIONS.find((known) => known.toLowerCase() === name)
  return revision === undefined ? undefined : plain(revision, 'anvil_nodeInfo')
}

/** Precompiles by the revision that added them, with their EIP-7910 names; the latest first. */
const BROUGHT: readonly (readonly [name: string, revision: Revision])[] = [
  ['P256VERIFY', 'Osaka'],
  ['BLS12_G1ADD', 'Prague'],
  ['KZG_POINT_EVALUATION', 'Cancun'],
]

interface ForkConfig {
  readonly since: bigint
  readonly revision: Revision | undefined
  readonly blobs: BlobSchedule
}

function readFork(fork: JsonMember): ForkConfig | undefined {
  if (!isGiven(fork)) return undefined
  const time = fork.at('activationTime')
  if (!Number.isSafeInteger(time.value)) throw time.wants('a number of seconds')
  const count = (name: string): bigint => {
    const member = fork.at('blobSchedule').at(name)
    if (!Number.isSafeInteger(member.value)) throw member.wants('a number')
    return BigInt(member.value as number)
  }
  const names = fork
    .at('precompiles')
    .entries()
    .map(([name]) => name)
  return {
    since: BigInt(time.value as number),
    revision: BROUGHT.find(([name]) => names.includes(name))?.[1],
    blobs: {
      target: count('target'),
      max: count('max'),
      updateFraction: count('baseFeeUpdateFraction'),
    },
  }
}

/** Returns the node's fork configuration at a block (EIP-7910), or undefined if it does not report one. */
async function configuredRules({ client, header }: RulesQuestion): Promise<FoundRules | undefined> {
  const method = 'eth_config'
  const answer = await client.askOptional(method)
  if (answer === undefined || answer === null) return undefined
  const forks = client.decode(method, answer, (config) =>
    ['next', 'current'].map((name) => readFork(config.at(name))),
  )
  for (const fork of forks) {
    if (fork === undefined || fork.since > header.timestamp) continue
    const { revision, blobs } = fork
    return revision === undefined ? undefined : plain(revision, method, blobs)
  }
  return undefined
}
