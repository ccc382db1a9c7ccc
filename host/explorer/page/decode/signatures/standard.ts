/** Functions, events and errors of a standard or a widely deployed contract, one per line in Solidity syntax. */
export interface Standard {
  readonly name: string
  readonly items: string
}

/** Errors that the compiler itself adds to contracts. */
export const SOLIDITY: Standard = {
  name: 'Solidity',
  items: `
error Error(string reason)
error Panic(uint256 code)`,
}
