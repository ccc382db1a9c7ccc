/** Functions, events and errors of a standard or a widely deployed contract, one on each line as Solidity has it. */
export interface Standard {
  readonly name: string
  readonly items: string
}
