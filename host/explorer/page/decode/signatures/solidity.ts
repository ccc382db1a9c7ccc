import type { Standard } from './standard.ts'

/** Errors that the compiler itself adds to contracts. */
export const SOLIDITY: Standard = {
  name: 'Solidity',
  items: `
error Error(string reason)
error Panic(uint256 code)`,
}
