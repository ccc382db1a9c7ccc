import type { Hex } from '../../../../base/hex.ts'
import { CHAIN_PRECOMPILES } from '../../../../evm/chain-types/generated/chain-precompile.ts'
import { PRECOMPILE_ROWS } from '../../../../evm/chain-types/generated/precompile.ts'

/**
 * Contracts of the protocol, and those that one transaction, or CREATE2, deploys at the same address on every chain.
 */
export const KNOWN_CONTRACTS: readonly (readonly [address: Hex, label: string])[] = [
  ['0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02', 'beacon roots (EIP-4788)'],
  ['0x0000F90827F1C53a10cb7A02335B175320002935', 'block hashes (EIP-2935)'],
  ['0x00000961Ef480Eb55e80D19ad83579A64c007002', 'withdrawal requests (EIP-7002)'],
  ['0x0000BBdDc7CE488642fb579F8B00f3a590007251', 'consolidation requests (EIP-7251)'],
  ['0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE', 'system caller'],
  ['0x0000000000000000000000000000000000000000', 'zero address'],
  ['0x000000000000000000000000000000000000dEaD', 'burn address'],
  ['0xcA11bde05977b3631167028862bE2a173976CA11', 'Multicall3'],
  ['0x000000000022D473030F116dDEE9F6B43aC78BA3', 'Permit2'],
  ['0x4e59b44847b379578588920cA78FbF26c0B4956C', 'CREATE2 deployer'],
  ['0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7', 'Safe singleton factory'],
  ['0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed', 'CreateX'],
  ['0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789', 'EntryPoint 0.6'],
  ['0x0000000071727De22E5E9d8BAf0edAc6f37da032', 'EntryPoint 0.7'],
  ['0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108', 'EntryPoint 0.8'],
  ['0x1820a4B7618BdE71Dce8cdc73aAB6C95905faD24', 'ERC-1820 registry'],
  ['0x000000000000000000636F6e736F6c652e6c6f67', 'console'],
]

/** Accounts 0 to 9 of the mnemonic of development chains. Their keys are public. */
export const DEV_ADDRESSES: readonly Hex[] = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
  '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
  '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
  '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
]

function lowerCase(address: Hex): Hex {
  return address.toLowerCase() as Hex
}

function addressOf(value: number): Hex {
  return `0x${value.toString(16).padStart(40, '0')}`
}

const LABELS: ReadonlyMap<Hex, string> = new Map([
  ...PRECOMPILE_ROWS.map(([id, name]) => [addressOf(id), `${name} precompile`] as const),
  ...CHAIN_PRECOMPILES.map(
    ({ address, name }) => [addressOf(address), `${name} precompile`] as const,
  ),
  ...KNOWN_CONTRACTS.map(([address, label]) => [lowerCase(address), label] as const),
  ...DEV_ADDRESSES.map((address, i) => [lowerCase(address), `dev account ${i}`] as const),
])

/** Returns the name of an address that is the same on every chain, or on this project's; undefined for others. */
export function knownLabel(address: Hex): string | undefined {
  return LABELS.get(lowerCase(address))
}
