import { bigintToBytes, compareBytes, equalBytes } from '../../../base/bytes.ts'
import { CHAIN_PRECOMPILES, PRECOMPILE_CODE } from '../../chain-types/generated/chain-precompile.ts'
import type { GenesisAccount } from '../../chain-types/genesis.ts'

const CODE = Uint8Array.of(PRECOMPILE_CODE)

/**
 * Returns the genesis accounts with those of the chain's precompiles added, sorted by address. Each precompile has
 * one byte of code that never runs: contracts check EXTCODESIZE before a call, and only a non-empty account keeps its
 * rows.
 */
export function withPrecompileAccounts(accounts: readonly GenesisAccount[]): GenesisAccount[] {
  const precompiles = CHAIN_PRECOMPILES.map((row): GenesisAccount => {
    const address = bigintToBytes(BigInt(row.address), 20)
    const given = accounts.find((account) => equalBytes(account.address, address))
    return { address, balance: 0n, nonce: 0n, storage: [], ...given, code: CODE }
  })
  const others = accounts.filter(
    ({ address }) => !precompiles.some((precompile) => equalBytes(precompile.address, address)),
  )
  return [...others, ...precompiles].sort((a, b) => compareBytes(a.address, b.address))
}
