/** An answer that differs from geth's on purpose. */
export interface GethDifference {
  /** Method, and tracer or option where it hangs on one. */
  readonly where: string
  readonly geth: string
  readonly lockstep: string
  readonly reason: string
}

/**
 * All of them, for geth 1.17.10: what the comparison of both (test/clients/geth.test.ts) lets pass, and
 * nothing else.
 */
export const GETH_DIFFERENCES = {
  tracerCrash: {
    where: 'debug_trace*, erc7562Tracer',
    geth: '`method handler crashed` (-32603) where SLOAD, SSTORE, KECCAK256 or one that names an account finds too few words on the stack',
    lockstep: 'the trace',
    reason:
      'a slip: its tracer reads operands that are not there, before the step is known to fail',
  },
  emptyRoots: {
    where: 'debug_intermediateRoots of a block without transactions',
    geth: '`null`',
    lockstep: '`[]`',
    reason: 'a slip: Go writes a list that was never made as null',
  },
  suggestedPrice: {
    where: 'eth_gasPrice',
    geth: 'the tips of the last blocks, over the base fee',
    lockstep: 'the base fee of the next block and the tip of eth_maxPriorityFeePerGas',
    reason: 'an imported chain takes no transactions: nobody pays by this price',
  },
  finality: {
    where: 'eth_getBlockByNumber, `safe` and `finalized`',
    geth: '`safe block not found` without a consensus client',
    lockstep: 'the newest block',
    reason: 'what was imported stays',
  },
  simulationGas: {
    where: 'eth_simulateV1',
    geth: 'cuts the gas of a call to what is left of its cap',
    lockstep: 'refuses a call that asks for more, naming the key of the cap',
    reason: 'a call that is cut runs out of gas where the same transaction would not',
  },
  simulatedChainId: {
    where: 'eth_simulateV1, a call with gasPrice among full transactions',
    geth: '`chainId: "0x7fffffffffffffee"`',
    lockstep: 'no `chainId`',
    reason: 'a slip: it reads the chain id from a signature that is not there',
  },
} as const satisfies Readonly<Record<string, GethDifference>>
