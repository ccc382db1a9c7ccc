import type { Standard } from './standard.ts'

/** What the compiler itself puts into contracts. */
export const SOLIDITY: Standard = {
  name: 'Solidity',
  items: `
error Error(string reason)
error Panic(uint256 code)`,
}
