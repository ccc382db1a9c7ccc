import { formatData } from '../../../base/hex.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import { type EthereumNetwork, FORKS, type ForkActivation, type ForkName } from './forks.ts'
import { FORK_MEMBERS } from './genesis.ts'

const memberOf = (fork: ForkName) => FORK_MEMBERS.find(([name]) => name === fork)?.[1]

function activationMember({ fork, since }: ForkActivation): [string, bigint][] {
  const member = memberOf(fork)
  if (member === undefined) return []
  return [[member, Object.values(since)[0] as bigint]]
}

/**
 * Returns the `config` of a genesis.json of geth with the rules of a network, as geth, Erigon and reth know them. Values
 * are bigints, because a terminal total difficulty may exceed 2^53.
 */
export function chainConfig(network: EthereumNetwork): Readonly<Record<string, unknown>> {
  const members = Object.fromEntries(network.forks.flatMap(activationMember))
  const { eip158Block: eip155Block, daoForkBlock } = members
  const schedules = [...network.blobSchedules].map(([fork, schedule]) => [
    memberOf(fork)?.replace(/Time$/, ''),
    { target: schedule.target, max: schedule.max, baseFeeUpdateFraction: schedule.updateFraction },
  ])
  return {
    chainId: network.chainId,
    ...members,
    ...(eip155Block !== undefined && { eip155Block }),
    ...(daoForkBlock !== undefined && { daoForkSupport: true }),
    ...(network.depositContract.some((byte) => byte !== 0) && {
      depositContractAddress: formatData(network.depositContract),
    }),
    ...(schedules.length > 0 && { blobSchedule: Object.fromEntries(schedules) }),
  }
}

/** Returns the network of a chain whose blocks have one revision from the first on. */
export function networkOf(chainId: bigint, revision: Revision): EthereumNetwork {
  const names = Object.keys(FORKS) as ForkName[]
  const forks = names
    .filter((fork) => atLeast(revision, FORKS[fork].revision) && !/^(Dao|BPO)/.test(fork))
    .map((fork): ForkActivation => ({ fork, since: sinceGenesis(fork) }))
  return { chainId, forks, blobSchedules: new Map(), depositContract: new Uint8Array(20) }
}

function sinceGenesis(fork: ForkName): ForkActivation['since'] {
  const member = memberOf(fork)
  if (member === undefined || member.endsWith('Block')) return { block: 0n }
  return member.endsWith('Time') ? { time: 0n } : { totalDifficulty: 0n }
}
