// The public module `lockstep/wallet`: changing an export changes the API of the package.
export type { Hex } from '../base/hex.ts'
export {
  type SignableMessage,
  type SignedAuthorization,
  type WalletAccount,
  walletAccount,
} from '../wallet/client/account.ts'
export {
  type AuthorizationKey,
  type AuthorizationKeyPair,
  generateAuthorizationKey,
} from '../wallet/client/authorization-key.ts'
export type {
  Authorization7702,
  Balance,
  Condition,
  EncryptedKey,
  NewKeyQuorum,
  NewPolicy,
  NewRule,
  NewWallet,
  Quantity,
  Rule,
  SentTransaction,
  Transaction,
  TypedData,
  Webhook,
} from '../wallet/client/inputs.ts'
export type {
  KeyQuorum,
  Listed,
  OperationName,
  Policy,
  TransactionRecord,
  Wallet,
} from '../wallet/client/operations.ts'
export { createRecipient, type Recipient } from '../wallet/client/private-key-transfer.ts'
export { approve, type Proposal } from '../wallet/client/proposal.ts'
export {
  type CallOptions,
  connectWallets,
  type WalletClient,
  type WalletClientOptions,
} from '../wallet/client/wallet-client.ts'
export {
  WalletRequestError,
  type WalletRequestErrorCode,
} from '../wallet/client/wallet-request-error.ts'
export {
  verifyWebhook,
  type WebhookDelivery,
  type WebhookEvent,
} from '../wallet/client/webhook-event.ts'
