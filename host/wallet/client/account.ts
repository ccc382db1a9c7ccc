import { type Hex, parseData } from '../../base/hex.ts'
import type { Authorization7702, Transaction, TypedData } from './inputs.ts'
import type { Wallet } from './operations.ts'
import type { WalletClient } from './wallet-client.ts'

/**
 * viem's `LocalAccount` with its key in the service. Declared structurally, so that this package does not depend on
 * viem.
 */
export interface WalletAccount {
  readonly address: Hex
  readonly publicKey: Hex
  readonly type: 'local'
  readonly source: 'lockstep'
  sign(parameters: { readonly hash: Hex }): Promise<Hex>
  signMessage(parameters: { readonly message: SignableMessage }): Promise<Hex>
  /** The service fills omitted fields. */
  signTransaction(transaction: object): Promise<Hex>
  signTypedData(parameters: object): Promise<Hex>
  signAuthorization(parameters: object): Promise<SignedAuthorization>
}

export type SignableMessage = string | { readonly raw: Hex | Uint8Array }

/** An EIP-7702 authorization with viem's member names. */
export interface SignedAuthorization {
  readonly address: Hex
  readonly chainId: number
  readonly nonce: number
  readonly r: Hex
  readonly s: Hex
  readonly yParity: number
}

/** Transaction types by viem's names. */
const TYPES = { legacy: 0, eip2930: 1, eip1559: 2, eip7702: 4 } as const

interface ViemAuthorization {
  readonly address?: Hex
  readonly contractAddress?: Hex
  readonly chainId: number
  readonly nonce: number
  readonly r: Hex
  readonly s: Hex
  readonly yParity: number
}

interface ViemTransaction {
  readonly type?: string
  readonly to?: Hex | null
  readonly value?: bigint
  readonly data?: Hex
  readonly chainId?: number
  readonly nonce?: number
  readonly gas?: bigint
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly accessList?: Transaction['accessList']
  readonly authorizationList?: readonly ViemAuthorization[]
}

function typeOf(type: string | undefined): Transaction['type'] {
  if (type === undefined) return undefined
  if (Object.hasOwn(TYPES, type)) return TYPES[type as keyof typeof TYPES]
  throw new TypeError(
    `transactions of type ${type} cannot be signed: use ${Object.keys(TYPES).join(', ')}`,
  )
}

function authorizationOf(one: ViemAuthorization): Authorization7702 {
  const { address, contractAddress, chainId, nonce, r, s, yParity } = one
  const contract = (address ?? contractAddress) as Hex
  return { contract, chainId, nonce, r, s, yParity: yParity as 0 | 1 }
}

/**
 * Converts a viem transaction to the names of the API. viem sets `to` to null for a contract creation; the API omits
 * it.
 */
function transactionOf(given: ViemTransaction): Transaction {
  const { type, to, value, data, chainId, nonce, gas, gasPrice, accessList } = given
  const { maxFeePerGas, maxPriorityFeePerGas, authorizationList } = given
  return {
    type: typeOf(type),
    to: to ?? undefined,
    gasLimit: gas,
    authorizationList: authorizationList?.map(authorizationOf),
    ...{ value, data, chainId, nonce, gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList },
  }
}

function plainMessage(message: SignableMessage): string | Uint8Array {
  if (typeof message === 'string') return message
  return typeof message.raw === 'string' ? parseData(message.raw) : message.raw
}

/**
 * Returns a viem account that signs through the service, for `createWalletClient` and anything else that takes an
 * account.
 */
export function walletAccount(
  client: WalletClient,
  { id: walletId, address, publicKey }: Pick<Wallet, 'id' | 'address' | 'publicKey'>,
): WalletAccount {
  return {
    address,
    publicKey,
    type: 'local',
    source: 'lockstep',
    sign: async ({ hash }) => client.signHash({ walletId, hash }),
    signMessage: async ({ message }) =>
      client.signMessage({ walletId, message: plainMessage(message) }),
    signTransaction: async (transaction) =>
      client.signTransaction({ walletId, transaction: transactionOf(transaction) }),
    signTypedData: async (typedData) =>
      client.signTypedData({ walletId, typedData: typedData as TypedData }),
    signAuthorization: async (request) => {
      const { chainId, nonce, ...named } = request as ViemAuthorization
      const contract = (named.address ?? named.contractAddress) as Hex
      const signed = await client.signAuthorization({ walletId, contract, chainId, nonce })
      const { r, s, yParity } = signed
      return { address: contract, chainId, nonce, r, s, yParity }
    },
  }
}
