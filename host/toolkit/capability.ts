import type { ActionContext } from './action-context.ts'

interface CapabilityRow {
  /** What is missing, for the warning. */
  readonly text: string
  /** The remedy for the operator. */
  readonly remedy: string
  readonly isThere: (context: ActionContext) => boolean
}

/**
 * Needs of actions and providers. They are checked against the network and the configuration: there is no list of
 * chains.
 */
export const CAPABILITIES = {
  networkId: {
    text: 'a network id',
    remedy: 'give the network a networkId',
    isThere: ({ network }) => network.networkId !== undefined,
  },
  wrappedNative: {
    text: 'the wrapped native token',
    remedy: 'name its contract in contracts.wrappedNative of the network',
    isThere: ({ network }) => network.contracts.wrappedNative !== undefined,
  },
  usdc: {
    text: 'a USDC contract',
    remedy: 'name it in contracts.usdc of the network',
    isThere: ({ network }) => network.contracts.usdc !== undefined,
  },
  multicall3: {
    text: 'Multicall3',
    remedy: 'name its contract in contracts.multicall3 of the network',
    isThere: ({ network }) => network.contracts.multicall3 !== undefined,
  },
  wallet: {
    text: 'a wallet',
    remedy: 'configure the wallet service, or a key file for development',
    isThere: ({ wallet }) => wallet !== undefined,
  },
  payments: {
    text: 'origins that may be paid',
    remedy: 'name them in the configuration of payments',
    isThere: ({ payments }) => (payments?.settings.origins.length ?? 0) > 0,
  },
  priceFeed: {
    text: 'a price feed',
    remedy: 'configure the address of one',
    isThere: ({ priceFeed }) => priceFeed !== undefined,
  },
} as const satisfies Readonly<Record<string, CapabilityRow>>

export type Need = keyof typeof CAPABILITIES

/** Returns the needs that are not met. */
export function missingNeeds(needs: readonly Need[], context: ActionContext): readonly Need[] {
  return needs.filter((need) => !CAPABILITIES[need].isThere(context))
}
