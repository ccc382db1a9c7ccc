import { LockstepError } from '../../base/error.ts'

const OP_STACK =
  'its blocks start with deposits from another chain, and its fees pay for that chain too'
const ARBITRUM = 'its gas pays for another chain too, and its precompiles are its own'
const ZK = 'its contracts are compiled for a machine other than the EVM'
const OWN = 'its blocks start or end with transactions of its own, under rules of its own'

/** Chains that look like Ethereum over JSON-RPC but execute differently, by chain id. */
const CHAINS: ReadonlyMap<bigint, readonly [name: string, why: string]> = new Map([
  [10n, ['OP Mainnet', OP_STACK]],
  [11_155_420n, ['OP Sepolia', OP_STACK]],
  [8_453n, ['Base', OP_STACK]],
  [84_532n, ['Base Sepolia', OP_STACK]],
  [130n, ['Unichain', OP_STACK]],
  [480n, ['World Chain', OP_STACK]],
  [7_777_777n, ['Zora', OP_STACK]],
  [34_443n, ['Mode', OP_STACK]],
  [81_457n, ['Blast', OP_STACK]],
  [5_000n, ['Mantle', OP_STACK]],
  [42_220n, ['Celo', OP_STACK]],
  [42_161n, ['Arbitrum One', ARBITRUM]],
  [42_170n, ['Arbitrum Nova', ARBITRUM]],
  [421_614n, ['Arbitrum Sepolia', ARBITRUM]],
  [324n, ['ZKsync Era', ZK]],
  [300n, ['ZKsync Sepolia', ZK]],
  [2_741n, ['Abstract', ZK]],
  [56n, ['BNB Smart Chain', OWN]],
  [97n, ['BNB Smart Chain Testnet', OWN]],
  [100n, ['Gnosis', OWN]],
  [137n, ['Polygon PoS', OWN]],
  [80_002n, ['Polygon Amoy', OWN]],
  [1_101n, ['Polygon zkEVM', OWN]],
  [534_352n, ['Scroll', OWN]],
  [59_144n, ['Linea', OWN]],
  [43_114n, ['Avalanche C-Chain', OWN]],
  [1_329n, ['Sei', OWN]],
])

/** Transaction types of other chains. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [0x7e, 'a deposit of an OP stack chain'],
  [0x64, 'a deposit of Arbitrum'],
  [0x65, 'an unsigned transaction of Arbitrum'],
  [0x66, 'a contract transaction of Arbitrum'],
  [0x68, 'a retry of Arbitrum'],
  [0x69, 'a retryable of Arbitrum'],
  [0x6a, 'an internal transaction of Arbitrum'],
  [0x71, 'a transaction of ZKsync'],
  [0xff, 'a priority transaction of ZKsync'],
  [0x7f, 'a system transaction of Polygon'],
])

const HINT =
  'this engine executes Ethereum and chains that follow its rules exactly; open a bundle of a node that records one, or trace it with debug_traceTransaction on that chain'

/** @throws UNSUPPORTED if the chain is known to execute differently from Ethereum */
export function refuseForeignChain(chainId: bigint): void {
  const chain = CHAINS.get(chainId)
  if (chain === undefined) return
  const [name, why] = chain
  throw new LockstepError('UNSUPPORTED', `chain ${chainId} is ${name}, not Ethereum: ${why}`, {
    hint: HINT,
  })
}

/** @throws UNSUPPORTED if Ethereum does not have the type */
export function refuseForeignType(type: number, index: number, chainId: bigint): void {
  if (type <= 4) return
  const number = `0x${type.toString(16)}`
  const name = TYPES.get(type)
  const kind = name === undefined ? '' : `, ${name}`
  throw new LockstepError(
    'UNSUPPORTED',
    `transaction ${index} of the block is of type ${number}${kind}: chain ${chainId} is not Ethereum`,
    { hint: HINT },
  )
}
