/** Functions, events and errors of a standard or a widely deployed contract, one per line in Solidity syntax. */
export interface Standard {
  readonly name: string
  readonly items: string
}
