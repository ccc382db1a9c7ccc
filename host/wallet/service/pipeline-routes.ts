import type { z } from 'zod'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type {
  BalanceQuery,
  TransactionListQuery,
  TransactionReplaceBody,
} from '../protocol/chain-shapes.ts'
import type { RpcBody } from '../protocol/rpc-shapes.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { Signed, SignerLink, SignerRequest } from '../signer/signer-link.ts'

/** Parts that sign, send and read from the chain. */
export interface PipelineParts {
  readonly pipeline: Pipeline
  readonly link: SignerLink
}

type SignatureOf = Extract<Signed, { kind: 'signature' }>
type AuthorizationOf = Extract<Signed, { kind: 'authorization' }>

function signatureData(signed: Signed): { signature: string; encoding: 'hex' } {
  return { signature: (signed as SignatureOf).signature, encoding: 'hex' }
}

function quantity(value: bigint): number | bigint {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
}

function authorizationData(signed: Signed): unknown {
  const { chainId, contract, nonce, r, s, yParity } = signed as AuthorizationOf
  const authorization = {
    chain_id: quantity(chainId),
    contract,
    nonce: quantity(nonce),
    r,
    s,
    y_parity: yParity,
  }
  return { authorization }
}

/** Answers `/rpc`. Results are in `data`, as SDKs read them; a hash is also at the top level. */
export async function answerRpc(
  { pipeline, link }: PipelineParts,
  asked: SignerRequest,
  walletId: string,
  body: RpcBody,
): Promise<unknown> {
  const { method } = body
  switch (method) {
    case 'eth_sendTransaction': {
      const sent = await pipeline.send(asked, walletId, body)
      const { transaction_hash: hash, caip2, id, reference_id } = sent
      return { method, hash, data: { hash, caip2, transaction_id: id, reference_id } }
    }
    case 'eth_signTransaction': {
      const raw = await pipeline.sign(asked, walletId, body)
      return { method, data: { signed_transaction: raw, encoding: 'rlp' } }
    }
    case 'eth_sign7702Authorization': {
      const { signed } = await pipeline.authorize(asked, walletId, body)
      return { method, data: authorizationData(signed) }
    }
    default: {
      const { signed } = await link.sign(asked)
      return { method, data: signatureData(signed) }
    }
  }
}

export async function answerRawSign(
  { link }: PipelineParts,
  asked: SignerRequest,
): Promise<unknown> {
  const { signed } = await link.sign(asked)
  return { method: 'raw_sign', data: signatureData(signed) }
}

/** Rejects a wallet that the app does not have, or that is archived. @throws WalletError not_found */
async function requireWallet(
  link: SignerLink,
  asked: SignerRequest,
  walletId: string,
  { include_archived: archived = false }: { readonly include_archived?: boolean | undefined },
): Promise<void> {
  const path = `/v1/wallets/${walletId}?include_archived=${archived}`
  const request = { ...asked.request, path }
  await link.ask({ ...asked, request })
}

export async function answerTransactions(
  { pipeline, link }: PipelineParts,
  asked: SignerRequest,
  walletId: string,
  query: z.infer<typeof TransactionListQuery>,
): Promise<unknown> {
  await requireWallet(link, asked, walletId, query)
  const { cursor, limit, tx_hash: hash, chain } = query
  return pipeline.list(asked.appId, walletId, { cursor, limit, hash, chain })
}

export function answerTransaction(
  { pipeline }: PipelineParts,
  { appId }: SignerRequest,
  transactionId: string,
): unknown {
  const found = pipeline.find(appId, transactionId)
  if (found !== undefined) return found
  throw new WalletError('not_found', `there is no transaction ${transactionId}`)
}

export function answerReplacement(
  { pipeline }: PipelineParts,
  asked: SignerRequest,
  transactionId: string,
  fees: z.infer<typeof TransactionReplaceBody>,
): Promise<unknown> {
  return pipeline.replace(asked, transactionId, fees)
}

export async function answerBalance(
  { pipeline, link }: PipelineParts,
  asked: SignerRequest,
  walletId: string,
  query: z.infer<typeof BalanceQuery>,
): Promise<unknown> {
  await requireWallet(link, asked, walletId, query)
  return { balances: await pipeline.balances(asked.appId, walletId, query) }
}
