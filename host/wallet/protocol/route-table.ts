import { z } from 'zod'
import {
  BalanceAnswer,
  BalanceQuery,
  TransactionAnswer,
  TransactionListAnswer,
  TransactionListQuery,
  TransactionReplaceBody,
  WebhookAnswer,
  WebhookCreateAnswer,
  WebhookCreateBody,
  WebhookUpdateBody,
} from './chain-shapes.ts'
import {
  KeyQuorumAnswer,
  KeyQuorumCreateBody,
  KeyQuorumUpdateBody,
  PolicyAnswer,
  PolicyCreateBody,
  PolicyUpdateBody,
  RuleAnswer,
  RuleBody,
  SuccessAnswer,
} from './policy-bodies.ts'
import { RawSignAnswer, RawSignBody, RpcAnswer, RpcBody } from './rpc-shapes.ts'
import type { WalletErrorCode } from './wallet-error.ts'
import {
  PageQuery,
  pageShape,
  WalletAddressBody,
  WalletAnswer,
  WalletBatchAnswer,
  WalletBatchBody,
  WalletCreateBody,
  WalletExportAnswer,
  WalletExportBody,
  WalletImportInitAnswer,
  WalletImportInitBody,
  WalletImportSubmitBody,
  WalletListQuery,
  WalletQuery,
  WalletUpdateBody,
} from './wallet-shapes.ts'

/**
 * Whose authorization a request needs in addition to the app's secret. `owner`: the owner of the resource in the path, if
 * it has one. `signer`: the owner or an additional signer.
 */
export type RequiredAuthority = 'nobody' | 'app' | 'owner' | 'signer'

export interface WalletRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the base URL, with ids in braces. The prefix `/api` is optional. */
  readonly path: string
  readonly summary: string
  readonly authority: RequiredAuthority
  /** Whether agents may use the route for their own wallet. */
  readonly agents?: true
  /** Which part answers: the signer, the pipeline (which asks the signer to sign), or the service itself. */
  readonly by: 'signer' | 'pipeline' | 'service'
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly answer: z.ZodType
  /** Error codes beyond those that follow from the other members. */
  readonly errors?: readonly WalletErrorCode[]
}

const TRANSACTION_ERRORS = [
  'policy_violation',
  'wallet_archived',
  'unsupported_chain',
  'insufficient_funds',
  'transaction_broadcast_failure',
  'chain_unreachable',
] as const

const CONTROL_ERRORS = ['invalid_authorization_key_ids', 'in_use'] as const

/** All routes. Validation, the OpenAPI document, the fuzz tests and the signer read this table. */
export const WALLET_ROUTES = {
  createWallet: {
    method: 'POST',
    path: '/v1/wallets',
    summary: 'make a wallet',
    authority: 'app',
    by: 'signer',
    body: WalletCreateBody,
    answer: WalletAnswer,
    errors: CONTROL_ERRORS,
  },
  listWallets: {
    method: 'GET',
    path: '/v1/wallets',
    summary: 'list the wallets of the app',
    authority: 'app',
    by: 'signer',
    query: WalletListQuery,
    answer: pageShape(WalletAnswer),
  },
  findWallet: {
    method: 'POST',
    path: '/v1/wallets/address',
    summary: 'find a wallet by its address',
    authority: 'app',
    by: 'signer',
    body: WalletAddressBody,
    answer: WalletAnswer,
    errors: ['not_found'],
  },
  createWallets: {
    method: 'POST',
    path: '/v1/wallets/batch',
    summary: 'create several wallets; each succeeds or fails independently',
    authority: 'app',
    by: 'signer',
    body: WalletBatchBody,
    answer: WalletBatchAnswer,
  },
  beginImport: {
    method: 'POST',
    path: '/v1/wallets/import/init',
    summary: 'get a key to encrypt a private key to',
    authority: 'app',
    by: 'signer',
    body: WalletImportInitBody,
    answer: WalletImportInitAnswer,
  },
  submitImport: {
    method: 'POST',
    path: '/v1/wallets/import/submit',
    summary: 'create a wallet from an encrypted private key',
    authority: 'app',
    by: 'signer',
    body: WalletImportSubmitBody,
    answer: WalletAnswer,
    errors: CONTROL_ERRORS,
  },
  getWallet: {
    method: 'GET',
    path: '/v1/wallets/{wallet_id}',
    summary: 'read a wallet',
    authority: 'app',
    agents: true,
    by: 'signer',
    query: WalletQuery,
    answer: WalletAnswer,
  },
  updateWallet: {
    method: 'PATCH',
    path: '/v1/wallets/{wallet_id}',
    summary: 'change policies, owner, additional signers or names of a wallet',
    authority: 'owner',
    by: 'signer',
    body: WalletUpdateBody,
    answer: WalletAnswer,
    errors: ['wallet_archived'],
  },
  archiveWallet: {
    method: 'POST',
    path: '/v1/wallets/{wallet_id}/archive',
    summary: 'stop a wallet from signing',
    authority: 'owner',
    by: 'signer',
    answer: WalletAnswer,
  },
  restoreWallet: {
    method: 'POST',
    path: '/v1/wallets/{wallet_id}/restore',
    summary: 'let an archived wallet sign again',
    authority: 'owner',
    by: 'signer',
    answer: WalletAnswer,
  },
  walletRpc: {
    method: 'POST',
    path: '/v1/wallets/{wallet_id}/rpc',
    summary: 'sign, or sign and send',
    authority: 'signer',
    agents: true,
    by: 'pipeline',
    body: RpcBody,
    answer: RpcAnswer,
    errors: TRANSACTION_ERRORS,
  },
  rawSign: {
    method: 'POST',
    path: '/v1/wallets/{wallet_id}/raw_sign',
    summary: 'sign a hash, or bytes after hashing them',
    authority: 'signer',
    by: 'pipeline',
    body: RawSignBody,
    answer: RawSignAnswer,
    errors: ['policy_violation', 'wallet_archived'],
  },
  exportWallet: {
    method: 'POST',
    path: '/v1/wallets/{wallet_id}/export',
    summary: 'get the private key, encrypted to a key of the caller',
    authority: 'owner',
    by: 'signer',
    body: WalletExportBody,
    answer: WalletExportAnswer,
    errors: ['policy_violation', 'wallet_archived'],
  },
  walletBalance: {
    method: 'GET',
    path: '/v1/wallets/{wallet_id}/balance',
    summary: 'read the balances of a wallet',
    authority: 'app',
    agents: true,
    by: 'pipeline',
    query: BalanceQuery,
    answer: BalanceAnswer,
    errors: ['unsupported_chain', 'chain_unreachable'],
  },
  listTransactions: {
    method: 'GET',
    path: '/v1/wallets/{wallet_id}/transactions',
    summary: 'list the transactions of a wallet, latest first',
    authority: 'app',
    agents: true,
    by: 'pipeline',
    query: TransactionListQuery,
    answer: TransactionListAnswer,
  },
  getTransaction: {
    method: 'GET',
    path: '/v1/transactions/{transaction_id}',
    summary: 'read the status of a transaction',
    authority: 'app',
    agents: true,
    by: 'pipeline',
    answer: TransactionAnswer,
  },
  replaceTransaction: {
    method: 'POST',
    path: '/v1/transactions/{transaction_id}/replace',
    summary: 'send a transaction again with the same nonce and higher fees',
    authority: 'signer',
    agents: true,
    by: 'pipeline',
    body: TransactionReplaceBody,
    answer: TransactionAnswer,
    errors: TRANSACTION_ERRORS,
  },
  createPolicy: {
    method: 'POST',
    path: '/v1/policies',
    summary: 'make a policy',
    authority: 'app',
    by: 'signer',
    body: PolicyCreateBody,
    answer: PolicyAnswer,
  },
  listPolicies: {
    method: 'GET',
    path: '/v1/policies',
    summary: 'list the policies of the app',
    authority: 'app',
    by: 'signer',
    query: PageQuery,
    answer: pageShape(PolicyAnswer),
  },
  getPolicy: {
    method: 'GET',
    path: '/v1/policies/{policy_id}',
    summary: 'read a policy',
    authority: 'app',
    by: 'signer',
    answer: PolicyAnswer,
  },
  updatePolicy: {
    method: 'PATCH',
    path: '/v1/policies/{policy_id}',
    summary: 'change name, rules or owner of a policy',
    authority: 'owner',
    by: 'signer',
    body: PolicyUpdateBody,
    answer: PolicyAnswer,
  },
  deletePolicy: {
    method: 'DELETE',
    path: '/v1/policies/{policy_id}',
    summary: 'delete a policy that no wallet uses',
    authority: 'owner',
    by: 'signer',
    answer: SuccessAnswer,
    errors: ['in_use'],
  },
  createRule: {
    method: 'POST',
    path: '/v1/policies/{policy_id}/rules',
    summary: 'add a rule',
    authority: 'owner',
    by: 'signer',
    body: RuleBody,
    answer: RuleAnswer,
  },
  getRule: {
    method: 'GET',
    path: '/v1/policies/{policy_id}/rules/{rule_id}',
    summary: 'read a rule',
    authority: 'app',
    by: 'signer',
    answer: RuleAnswer,
  },
  updateRule: {
    method: 'PATCH',
    path: '/v1/policies/{policy_id}/rules/{rule_id}',
    summary: 'replace a rule',
    authority: 'owner',
    by: 'signer',
    body: RuleBody,
    answer: RuleAnswer,
  },
  deleteRule: {
    method: 'DELETE',
    path: '/v1/policies/{policy_id}/rules/{rule_id}',
    summary: 'remove a rule',
    authority: 'owner',
    by: 'signer',
    answer: SuccessAnswer,
  },
  createKeyQuorum: {
    method: 'POST',
    path: '/v1/key_quorums',
    summary: 'create a key quorum: keys and how many of them must agree',
    authority: 'app',
    by: 'signer',
    body: KeyQuorumCreateBody,
    answer: KeyQuorumAnswer,
  },
  listKeyQuorums: {
    method: 'GET',
    path: '/v1/key_quorums',
    summary: 'list the key quorums of the app',
    authority: 'app',
    by: 'signer',
    query: PageQuery,
    answer: pageShape(KeyQuorumAnswer),
  },
  getKeyQuorum: {
    method: 'GET',
    path: '/v1/key_quorums/{key_quorum_id}',
    summary: 'read a key quorum',
    authority: 'app',
    by: 'signer',
    answer: KeyQuorumAnswer,
  },
  updateKeyQuorum: {
    method: 'PATCH',
    path: '/v1/key_quorums/{key_quorum_id}',
    summary: 'change the keys of a quorum; needs the authorization of the quorum itself',
    authority: 'owner',
    by: 'signer',
    body: KeyQuorumUpdateBody,
    answer: KeyQuorumAnswer,
  },
  deleteKeyQuorum: {
    method: 'DELETE',
    path: '/v1/key_quorums/{key_quorum_id}',
    summary: 'delete a quorum that owns nothing',
    authority: 'owner',
    by: 'signer',
    answer: SuccessAnswer,
    errors: ['in_use'],
  },
  createWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'send events to a URL',
    authority: 'app',
    by: 'service',
    body: WebhookCreateBody,
    answer: WebhookCreateAnswer,
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'list the webhooks of the app',
    authority: 'app',
    by: 'service',
    query: PageQuery,
    answer: pageShape(WebhookAnswer),
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhooks/{webhook_id}',
    summary: 'read a webhook',
    authority: 'app',
    by: 'service',
    answer: WebhookAnswer,
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/{webhook_id}',
    summary: 'change the URL or the events of a webhook',
    authority: 'app',
    by: 'service',
    body: WebhookUpdateBody,
    answer: WebhookAnswer,
  },
  rotateWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{webhook_id}/rotate_secret',
    summary: 'rotate the secret of a webhook; the previous one also signs for a day',
    authority: 'app',
    by: 'service',
    answer: WebhookCreateAnswer,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{webhook_id}',
    summary: 'stop sending events to a URL',
    authority: 'app',
    by: 'service',
    answer: SuccessAnswer,
  },
  openApi: {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'this document',
    authority: 'nobody',
    by: 'service',
    answer: z.looseObject({ openapi: z.literal('3.1.0') }),
  },
} as const satisfies Readonly<Record<string, WalletRoute>>

export type RouteName = keyof typeof WALLET_ROUTES

const SIGNATURE_ERRORS = [
  'missing_or_empty_authorization_header',
  'zero_correct_authorization_signatures',
  'insufficient_correct_authorization_signatures',
  'incorrect_quantity_of_authorization_signatures',
  'request_expired',
  'request_replayed',
] as const

/** Returns every code that a route may answer with. */
export function errorsOf({
  method,
  path,
  authority,
  by,
  body,
  errors = [],
}: WalletRoute): WalletErrorCode[] {
  const codes = new Set<WalletErrorCode>(['invalid_data', 'rate_limited', 'internal_error'])
  if (authority !== 'nobody') codes.add('unauthorized').add('agent_forbidden')
  if (authority === 'owner' && by === 'signer' && !path.endsWith('/export')) {
    codes.add('owner_required')
  }
  if (method !== 'GET') {
    codes.add('payload_too_large').add('idempotency_mismatch').add('request_expired')
  }
  // The body may refer to a policy or quorum that does not exist.
  if (path.includes('{') || body !== undefined) codes.add('not_found')
  if (by !== 'service') codes.add('signer_unreachable')
  // The resource may have an owner, who must sign. Signatures that are sent must be valid.
  if (method !== 'GET') for (const code of SIGNATURE_ERRORS) codes.add(code)
  for (const code of errors) codes.add(code)
  return [...codes]
}
