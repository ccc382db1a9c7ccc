import { z } from 'zod'
import { LockstepError } from '../base/error.ts'
import type { Hex } from '../base/hex.ts'
import { MULTICALL3_ADDRESS } from '../evm/chain-types/multicall3.ts'
import { paymentTokenOf } from '../evm/chain-types/payment-token.ts'
import { caip2 } from '../payments/protocol/network.ts'
import { checksummed, isChecksummed } from './checksum.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'is not an address of 0x and 40 hex digits', abort: true })
  .refine(isChecksummed, {
    error: ({ input }) => `has a wrong checksum: EIP-55 writes it ${checksummed(input as string)}`,
  })
  .transform((text) => text as Hex)

const url = z.url({ protocol: /^https?$/, error: 'is not an http URL' })

/** A network as configured. Omitted members are filled from what is known about the chain id, or stay absent. */
export const networkShape = z.strictObject({
  chainId: z.int().positive(),
  /** A network name for providers that need one, such as `sei-testnet`. */
  networkId: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'is not a name of lower-case letters, digits and dashes')
    .optional(),
  nativeSymbol: z
    .string()
    .regex(/^[A-Za-z0-9.]{1,12}$/, 'is not a symbol of up to 12 letters and digits')
    .optional(),
  decimals: z.int().min(0).max(36).optional(),
  contracts: z
    .strictObject({
      wrappedNative: address.optional(),
      usdc: address.optional(),
      multicall3: address.optional(),
    })
    .optional(),
  rpcUrl: url,
  explorerUrl: url.optional(),
})

export type NetworkConfiguration = z.input<typeof networkShape>

/** A chain as actions need it. Actions that need an absent member are not offered. */
export interface Network {
  readonly chainId: number
  readonly caip2: string
  readonly networkId: string | undefined
  readonly nativeSymbol: string
  readonly decimals: number
  readonly contracts: {
    readonly wrappedNative?: Hex | undefined
    readonly usdc?: Hex | undefined
    readonly multicall3?: Hex | undefined
  }
  readonly rpcUrl: string
  readonly explorerUrl: string | undefined
}

interface Known {
  readonly networkId: string
  readonly nativeSymbol: string
}

const KNOWN: ReadonlyMap<number, Known> = new Map([
  [1329, { networkId: 'sei', nativeSymbol: 'SEI' }],
  [1328, { networkId: 'sei-testnet', nativeSymbol: 'SEI' }],
  [31337, { networkId: 'lockstep-dev', nativeSymbol: 'ETH' }],
])

/**
 * Returns the network: configured members first, then those known for the chain id.
 * @throws CONFIG_INVALID with the member
 */
export function describeNetwork(configuration: unknown): Network {
  const parsed = networkShape.safeParse(configuration)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = issue?.path.join('.') || 'the network'
    throw new LockstepError('CONFIG_INVALID', `network: ${path}: ${issue?.message}`, {
      hint: 'a network has chainId and rpcUrl, and may have networkId, nativeSymbol, decimals, contracts and explorerUrl',
    })
  }
  const { chainId, contracts = {}, ...given } = parsed.data
  const known = KNOWN.get(chainId)
  const ofChain =
    known === undefined
      ? {}
      : { usdc: paymentTokenOf(BigInt(chainId)), multicall3: MULTICALL3_ADDRESS }
  return {
    chainId,
    caip2: caip2(BigInt(chainId)),
    networkId: given.networkId ?? known?.networkId,
    nativeSymbol: given.nativeSymbol ?? known?.nativeSymbol ?? 'ETH',
    decimals: given.decimals ?? 18,
    contracts: { ...ofChain, ...contracts },
    rpcUrl: given.rpcUrl,
    explorerUrl: given.explorerUrl,
  }
}
