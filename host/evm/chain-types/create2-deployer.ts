import { type Hex, parseData, parseFixedData } from '../../base/hex.ts'
import type { GenesisAccount } from './genesis.ts'

/** Address of the deterministic deployment proxy on public chains. Foundry sends deployments with a salt to it. */
export const CREATE2_DEPLOYER_ADDRESS: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/**
 * Runtime code on public chains (deterministic-deployment-proxy by Nick Johnson and Micah Zoltu, Unlicense): 69 bytes.
 * Calls CREATE2 with the first word of the input as the salt and the rest as the init code, and returns the address.
 * The address is fixed by the signature of the creating transaction, which covers this code.
 */
const CODE: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'

/** Returns the account of the CREATE2 deployer for a genesis. */
export function create2DeployerAccount(): GenesisAccount {
  return {
    address: parseFixedData(CREATE2_DEPLOYER_ADDRESS, 20),
    balance: 0n,
    nonce: 1n,
    code: parseData(CODE),
    storage: [],
  }
}
