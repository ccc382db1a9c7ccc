import type { UnsignedTransaction } from '../../evm/chain-types/transaction-codec.ts'

/** What would be signed, decoded only from the bytes to sign. */
export type SigningAction =
  | {
      readonly method: 'eth_sendTransaction' | 'eth_signTransaction'
      readonly transaction: UnsignedTransaction
    }
  | { readonly method: 'personal_sign'; readonly message: Uint8Array }
  | { readonly method: 'eth_signTypedData_v4'; readonly typedData: ActionTypedData }
  | { readonly method: 'secp256k1_sign'; readonly hash: Uint8Array }
  | {
      readonly method: 'eth_sign7702Authorization'
      readonly chainId: bigint
      /** 20 bytes. */
      readonly contract: Uint8Array
      readonly nonce: bigint
    }
  | { readonly method: 'exportPrivateKey' }

/** EIP-712 typed data. */
export interface ActionTypedData {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<Record<string, readonly { name: string; type: string }[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}
