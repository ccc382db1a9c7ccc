import type { Hex } from '../../base/hex.ts'
import type { ApiPolicy } from '../protocol/policy-shapes.ts'
import type { ApiKeyQuorum, ApiWallet } from '../protocol/wallet.ts'
import type {
  Authorization7702,
  Balance,
  ChangedPolicy,
  ChangedWallet,
  EncryptedKey,
  NewKeyQuorum,
  NewPolicy,
  NewRule,
  NewWallet,
  NewWebhook,
  PageInput,
  Quantity,
  Rule,
  SentTransaction,
  Transaction,
  TypedData,
  WalletFilter,
  Webhook,
} from './inputs.ts'
import { type Camelled, plainJson, toCamelCase, toSnakeCase } from './json-names.ts'

export type Wallet = Camelled<ApiWallet>
export type Policy = Camelled<ApiPolicy>
export type KeyQuorum = Camelled<ApiKeyQuorum>

/** A transaction of a wallet and its status. Times are milliseconds since 1970. */
export interface TransactionRecord {
  readonly id: string
  readonly walletId: string
  readonly caip2: string
  readonly transactionHash: Hex | null
  readonly status:
    | 'pending'
    | 'broadcasted'
    | 'confirmed'
    | 'finalized'
    | 'execution_reverted'
    | 'replaced'
    | 'failed'
    | 'provider_error'
  readonly referenceId: string | null
  readonly createdAt: number
}

/** A page of a list. `nextCursor` is null on the last page. */
export interface Listed<Item> {
  readonly data: readonly Item[]
  readonly nextCursor: string | null
}

/** A request of the API, without the app and the base URL. */
export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  /** True if the owners have to agree, when there are any. */
  readonly isOwned: boolean
}

interface Operation<Input, Result> {
  call(input: Input): ApiCall
  read(answer: unknown): Result
}

interface OfWallet {
  readonly walletId: string
}

interface OfPolicy {
  readonly policyId: string
}

interface OfRule extends OfPolicy {
  readonly ruleId: string
}

interface BalanceFilter {
  readonly caip2?: string | undefined
  readonly asset?: string | undefined
  readonly token?: string | undefined
}

interface OfQuorum {
  readonly keyQuorumId: string
}

/** The operations of the service, by name. */
export interface Operations {
  createWallet: Operation<NewWallet, Wallet>
  /** Returns an archived wallet only with `includeArchived`. */
  getWallet: Operation<OfWallet & { readonly includeArchived?: boolean | undefined }, Wallet>
  listWallets: Operation<WalletFilter, Listed<Wallet>>
  /** Changes policies, owner, additional signers or names. */
  updateWallet: Operation<ChangedWallet, Wallet>
  /** Stops a wallet from signing. */
  archiveWallet: Operation<OfWallet, Wallet>
  /** Lets an archived wallet sign again. */
  restoreWallet: Operation<OfWallet, Wallet>
  /**
   * Returns balances: of the native token, of `asset` (`usdc`) on `caip2` or every chain, or of `token`
   * (`<CAIP-2>:<address>`).
   */
  getBalance: Operation<OfWallet & BalanceFilter, readonly Balance[]>
  /**
   * Signs and sends. Resolves when the chain's node has accepted it. The chain is that of `caip2` or of the
   * transaction.
   */
  sendTransaction: Operation<
    OfWallet & {
      readonly transaction: Transaction
      readonly caip2?: string
      readonly referenceId?: string
    },
    SentTransaction
  >
  signTransaction: Operation<OfWallet & { readonly transaction: Transaction }, Hex>
  /** Signs text or bytes by EIP-191. */
  signMessage: Operation<OfWallet & { readonly message: string | Uint8Array }, Hex>
  signTypedData: Operation<OfWallet & { readonly typedData: TypedData }, Hex>
  /** Signs 32 bytes without hashing them. */
  signHash: Operation<OfWallet & { readonly hash: Hex }, Hex>
  /** Signs an EIP-7702 authorization, which delegates the wallet to a contract's code. */
  signAuthorization: Operation<
    OfWallet & { readonly contract: Hex; readonly chainId: Quantity; readonly nonce?: Quantity },
    Authorization7702
  >
  getTransaction: Operation<{ readonly transactionId: string }, TransactionRecord>
  /** Latest first. */
  listTransactions: Operation<OfWallet & PageInput, Listed<TransactionRecord>>
  /** Sends a transaction again with the same nonce and higher fees. */
  replaceTransaction: Operation<
    {
      readonly transactionId: string
      readonly maxFeePerGas?: Quantity
      readonly maxPriorityFeePerGas?: Quantity
      readonly gasPrice?: Quantity
    },
    TransactionRecord
  >
  createPolicy: Operation<NewPolicy, Policy>
  getPolicy: Operation<OfPolicy, Policy>
  listPolicies: Operation<PageInput, Listed<Policy>>
  updatePolicy: Operation<ChangedPolicy, Policy>
  deletePolicy: Operation<OfPolicy, void>
  createRule: Operation<OfPolicy & { readonly rule: NewRule }, Rule>
  getRule: Operation<OfRule, Rule>
  /** Replaces a rule. */
  updateRule: Operation<OfRule & { readonly rule: NewRule }, Rule>
  deleteRule: Operation<OfRule, void>
  createKeyQuorum: Operation<NewKeyQuorum, KeyQuorum>
  getKeyQuorum: Operation<OfQuorum, KeyQuorum>
  listKeyQuorums: Operation<PageInput, Listed<KeyQuorum>>
  updateKeyQuorum: Operation<OfQuorum & NewKeyQuorum, KeyQuorum>
  deleteKeyQuorum: Operation<OfQuorum, void>
  /**
   * Returns the private key encrypted to `recipientPublicKey` (SPKI DER in base64). `exportPrivateKey` also decrypts
   * it.
   */
  exportWallet: Operation<OfWallet & { readonly recipientPublicKey: string }, EncryptedKey>
  /** Returns a key to encrypt a private key to. `importPrivateKey` does both steps. */
  beginImport: Operation<
    { readonly address: Hex },
    { readonly encryptionPublicKey: string; readonly importId?: string }
  >
  submitImport: Operation<
    NewWallet & {
      readonly address: Hex
      readonly encapsulatedKey: string
      readonly ciphertext: string
      readonly importId?: string | undefined
    },
    Wallet
  >
  /** Returns `secret` this one time: store it for `verifyWebhook`. */
  createWebhook: Operation<NewWebhook, Webhook & { readonly secret: string }>
  getWebhook: Operation<{ readonly webhookId: string }, Webhook>
  listWebhooks: Operation<PageInput, Listed<Webhook>>
  deleteWebhook: Operation<{ readonly webhookId: string }, void>
}

export type OperationName = keyof Operations
export type InputOf<Name extends OperationName> = Parameters<Operations[Name]['call']>[0]
export type ResultOf<Name extends OperationName> = ReturnType<Operations[Name]['read']>

/** Returns a path segment. @throws TypeError if the id is invalid */
function part(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id
  throw new TypeError(`"${id}" is not an id: pass one as the service returned it`)
}

function query(path: string, members: object): string {
  const pairs = Object.entries(toSnakeCase(members)).map(([name, value]) => [name, String(value)])
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

const get = (path: string, members: object = {}): ApiCall => ({
  method: 'GET',
  path: query(path, members),
  isOwned: false,
})

const post = (path: string, input: object, isOwned = false): ApiCall => ({
  method: 'POST',
  path,
  body: toSnakeCase(input),
  isOwned,
})

const patch = (path: string, input: object): ApiCall => ({
  method: 'PATCH',
  path,
  body: toSnakeCase(input),
  isOwned: true,
})

const remove = (path: string): ApiCall => ({ method: 'DELETE', path, isOwned: true })

const walletPath = (id: string): string => `/v1/wallets/${part(id)}`
const policyPath = (id: string): string => `/v1/policies/${part(id)}`
const rulePath = (policy: string, rule: string): string =>
  `${policyPath(policy)}/rules/${part(rule)}`
const quorumPath = (id: string): string => `/v1/key_quorums/${part(id)}`

/** Builds a call of a wallet's RPC method. Parameters have the names of the API. */
function rpc(id: string, method: string, params: object, beside: object = {}): ApiCall {
  return {
    method: 'POST',
    path: `${walletPath(id)}/rpc`,
    body: { method, params, ...beside },
    isOwned: true,
  }
}

function hexDigitsOf(bytes: Uint8Array): string {
  return (plainJson(bytes) as string).slice(2)
}

function chainOf(caip2: string | undefined, { chainId }: Transaction): string {
  if (caip2 !== undefined) return caip2
  if (chainId !== undefined) return `eip155:${BigInt(chainId)}`
  throw new TypeError(
    'no chain given: pass caip2, such as eip155:1329, or chainId of the transaction',
  )
}

function dataOf(answer: unknown): Record<string, unknown> {
  return (answer as { readonly data: Record<string, unknown> }).data
}

const readSignature = (answer: unknown): Hex => dataOf(answer).signature as Hex
const readNothing = (): void => undefined

export const OPERATIONS: Operations = {
  createWallet: {
    call: (input) => post('/v1/wallets', { chainType: 'ethereum', ...input }),
    read: toCamelCase<ApiWallet>,
  },
  getWallet: {
    call: ({ walletId, includeArchived }) => get(walletPath(walletId), { includeArchived }),
    read: toCamelCase<ApiWallet>,
  },
  listWallets: {
    call: (filter) => get('/v1/wallets', filter),
    read: toCamelCase<Listed<ApiWallet>>,
  },
  updateWallet: {
    call: ({ walletId, ...changes }) => patch(walletPath(walletId), changes),
    read: toCamelCase<ApiWallet>,
  },
  archiveWallet: {
    call: ({ walletId }) => post(`${walletPath(walletId)}/archive`, {}, true),
    read: toCamelCase<ApiWallet>,
  },
  restoreWallet: {
    call: ({ walletId }) => post(`${walletPath(walletId)}/restore`, {}, true),
    read: toCamelCase<ApiWallet>,
  },
  getBalance: {
    call: ({ walletId, caip2, asset, token }) =>
      get(`${walletPath(walletId)}/balance`, { chain: caip2, asset, token }),
    read: (answer) =>
      (answer as { readonly balances: readonly Record<string, unknown>[] }).balances.map(
        ({ chain, caip2, asset, raw_value, raw_value_decimals }) => ({
          chain: chain as string,
          caip2: caip2 as string,
          asset: asset as string,
          value: BigInt(raw_value as string),
          decimals: raw_value_decimals as number,
        }),
      ),
  },
  sendTransaction: {
    call: ({ walletId, transaction, caip2, referenceId }) =>
      rpc(
        walletId,
        'eth_sendTransaction',
        { transaction: toSnakeCase(transaction) },
        {
          caip2: chainOf(caip2, transaction),
          ...(referenceId === undefined ? {} : { reference_id: referenceId }),
        },
      ),
    read: (answer) => toCamelCase<SentTransaction>(dataOf(answer)),
  },
  signTransaction: {
    call: ({ walletId, transaction }) =>
      rpc(walletId, 'eth_signTransaction', { transaction: toSnakeCase(transaction) }),
    read: (answer) => dataOf(answer).signed_transaction as Hex,
  },
  signMessage: {
    call: ({ walletId, message }) =>
      rpc(
        walletId,
        'personal_sign',
        typeof message === 'string'
          ? { message, encoding: 'utf-8' }
          : { message: hexDigitsOf(message), encoding: 'hex' },
      ),
    read: readSignature,
  },
  signTypedData: {
    call: ({ walletId, typedData: { domain = {}, types, primaryType, message } }) =>
      rpc(walletId, 'eth_signTypedData_v4', {
        typed_data: plainJson({ domain, types, primary_type: primaryType, message }),
      }),
    read: readSignature,
  },
  signHash: {
    call: ({ walletId, hash }) => rpc(walletId, 'secp256k1_sign', { hash }),
    read: readSignature,
  },
  signAuthorization: {
    call: ({ walletId, ...authorization }) =>
      rpc(walletId, 'eth_sign7702Authorization', toSnakeCase(authorization)),
    read: (answer) => toCamelCase<Authorization7702>(dataOf(answer).authorization),
  },
  getTransaction: {
    call: ({ transactionId }) => get(`/v1/transactions/${part(transactionId)}`),
    read: (answer) => toCamelCase(answer) as TransactionRecord,
  },
  listTransactions: {
    call: ({ walletId, ...page }) => get(`${walletPath(walletId)}/transactions`, page),
    read: (answer) => {
      const { transactions, next_cursor } = answer as Record<string, unknown>
      return {
        data: toCamelCase(transactions) as readonly TransactionRecord[],
        nextCursor: next_cursor as string | null,
      }
    },
  },
  replaceTransaction: {
    call: ({ transactionId, ...fees }) =>
      post(`/v1/transactions/${part(transactionId)}/replace`, fees, true),
    read: (answer) => toCamelCase(answer) as TransactionRecord,
  },
  createPolicy: {
    call: (input) => post('/v1/policies', { version: '1.0', chainType: 'ethereum', ...input }),
    read: toCamelCase<ApiPolicy>,
  },
  getPolicy: { call: ({ policyId }) => get(policyPath(policyId)), read: toCamelCase<ApiPolicy> },
  listPolicies: { call: (page) => get('/v1/policies', page), read: toCamelCase<Listed<ApiPolicy>> },
  updatePolicy: {
    call: ({ policyId, ...changes }) => patch(policyPath(policyId), changes),
    read: toCamelCase<ApiPolicy>,
  },
  deletePolicy: { call: ({ policyId }) => remove(policyPath(policyId)), read: readNothing },
  createRule: {
    call: ({ policyId, rule }) => post(`${policyPath(policyId)}/rules`, rule, true),
    read: toCamelCase<ApiPolicy['rules'][number]>,
  },
  getRule: {
    call: ({ policyId, ruleId }) => get(rulePath(policyId, ruleId)),
    read: toCamelCase<ApiPolicy['rules'][number]>,
  },
  updateRule: {
    call: ({ policyId, ruleId, rule: { id: _, ...rule } }) =>
      patch(rulePath(policyId, ruleId), rule),
    read: toCamelCase<ApiPolicy['rules'][number]>,
  },
  deleteRule: {
    call: ({ policyId, ruleId }) => remove(rulePath(policyId, ruleId)),
    read: readNothing,
  },
  createKeyQuorum: {
    call: (input) => post('/v1/key_quorums', input),
    read: toCamelCase<ApiKeyQuorum>,
  },
  getKeyQuorum: {
    call: ({ keyQuorumId }) => get(quorumPath(keyQuorumId)),
    read: toCamelCase<ApiKeyQuorum>,
  },
  listKeyQuorums: {
    call: (page) => get('/v1/key_quorums', page),
    read: toCamelCase<Listed<ApiKeyQuorum>>,
  },
  updateKeyQuorum: {
    call: ({ keyQuorumId, ...changes }) => patch(quorumPath(keyQuorumId), changes),
    read: toCamelCase<ApiKeyQuorum>,
  },
  deleteKeyQuorum: {
    call: ({ keyQuorumId }) => remove(quorumPath(keyQuorumId)),
    read: readNothing,
  },
  exportWallet: {
    call: ({ walletId, recipientPublicKey }) =>
      post(`${walletPath(walletId)}/export`, { encryptionType: 'HPKE', recipientPublicKey }, true),
    read: (answer) => toCamelCase(answer) as EncryptedKey,
  },
  beginImport: {
    call: ({ address }) => post('/v1/wallets/import/init', imported(address)),
    read: (answer) => toCamelCase(answer) as { encryptionPublicKey: string; importId?: string },
  },
  submitImport: {
    call: ({ address, encapsulatedKey, ciphertext, importId, chainType: _, ...settings }) =>
      post('/v1/wallets/import/submit', {
        wallet: { ...imported(address), encapsulatedKey, ciphertext, importId },
        ...settings,
      }),
    read: toCamelCase<ApiWallet>,
  },
  createWebhook: {
    call: (input) => post('/v1/webhooks', input),
    read: (answer) => toCamelCase(answer) as Webhook & { readonly secret: string },
  },
  getWebhook: {
    call: ({ webhookId }) => get(`/v1/webhooks/${part(webhookId)}`),
    read: (answer) => toCamelCase(answer) as Webhook,
  },
  listWebhooks: {
    call: (page) => get('/v1/webhooks', page),
    read: (answer) => toCamelCase(answer) as Listed<Webhook>,
  },
  deleteWebhook: {
    call: ({ webhookId }) => ({ ...remove(`/v1/webhooks/${part(webhookId)}`), isOwned: false }),
    read: readNothing,
  },
}

function imported(address: Hex): object {
  return { address, chainType: 'ethereum', entropyType: 'private-key', encryptionType: 'HPKE' }
}
