import { onTestFinished } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { parseSecret } from '../../../../host/evm/chain-types/account-key.ts'
import type { AuthorizationProof } from '../../../../host/payments/protocol/proof.ts'
import {
  Facilitator,
  type FacilitatorAnswer,
} from '../../../../host/payments/settle/facilitator.ts'
import { FacilitatorRules } from '../../../../host/payments/settle/facilitator-rules.ts'
import { openSettler } from '../../../../host/payments/settle/settler.ts'
import { wasmRecovery } from '../../../support/chain/wasm-recovery.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { memoryClaims } from '../../../support/payments/memory-claims.ts'
import { ModelChain } from '../../../support/payments/model-chain.ts'
import {
  type AuthorizationFields,
  nonceOf,
  signAuthorization,
} from '../../../support/payments/signed-authorization.ts'
import { until } from '../../../support/until.ts'

export const FACILITATED_ASSET: Hex = '0x4020000000000000000000000000000000000402'
export const PAYER = devAccount(1)
export const FROM = PAYER.address.toLowerCase() as Hex
export const PAYEE = devAccount(9).address.toLowerCase() as Hex
const KEY = parseSecret(`0x${'11'.repeat(32)}`)
export const TOKEN_DOMAIN = { name: 'USDC', version: '2' }
const URL_PAID = 'https://shop.example/weather'

export const FACILITATED_TERMS = {
  chainId: 31337n,
  network: 'sei-testnet',
  asset: FACILITATED_ASSET,
  token: TOKEN_DOMAIN,
  amount: 1_000n,
  payTo: PAYEE,
  maxTimeoutSeconds: 300,
}

export const REQUIREMENT_1 = {
  scheme: 'exact',
  network: 'sei-testnet',
  maxAmountRequired: '1000',
  resource: URL_PAID,
  description: 'Weather',
  mimeType: 'application/json',
  payTo: devAccount(9).address,
  maxTimeoutSeconds: 300,
  asset: FACILITATED_ASSET,
  extra: TOKEN_DOMAIN,
}

export const REQUIREMENT_2 = {
  scheme: 'exact',
  network: 'eip155:31337',
  amount: '1000',
  asset: FACILITATED_ASSET,
  payTo: devAccount(9).address,
  maxTimeoutSeconds: 300,
  extra: TOKEN_DOMAIN,
}

function payloadOf({ signature, ...proof }: AuthorizationProof) {
  const { from, to, nonce } = proof
  const [value, validAfter, validBefore] = [proof.value, proof.validAfter, proof.validBefore].map(
    String,
  )
  return { signature, authorization: { from, to, value, validAfter, validBefore, nonce } }
}

export function firstPayment(proof: AuthorizationProof) {
  return { x402Version: 1, scheme: 'exact', network: 'sei-testnet', payload: payloadOf(proof) }
}

export function secondPayment(proof: AuthorizationProof) {
  return {
    x402Version: 2,
    resource: { url: URL_PAID, description: 'Weather', mimeType: 'application/json' },
    accepted: REQUIREMENT_2,
    payload: payloadOf(proof),
  }
}

export interface FacilitatorChanges {
  /** Default: any payee, at least 1 unit. */
  readonly rules?: (chain: ModelChain) => FacilitatorRules
}

/** Starts a facilitator over a chain in memory, which is closed at the end of the test. */
export async function startFacilitator({ rules }: FacilitatorChanges = {}) {
  const chain = new ModelChain(FACILITATED_ASSET)
  chain.balances.set(FROM, 1_000_000n)
  const settlement = await openSettler({ chain, recovery: wasmRecovery, key: KEY })
  onTestFinished(() => settlement.close())
  const claims = memoryClaims()
  const failures: unknown[] = []
  const facilitator = new Facilitator({
    chainId: 31337n,
    network: 'sei-testnet',
    assets: [{ address: FACILITATED_ASSET, token: TOKEN_DOMAIN }],
    settlement,
    signer: settlement.address,
    claims,
    recovery: wasmRecovery,
    rules: rules?.(chain) ?? new FacilitatorRules({ isOpen: true }, { amount: 1n }),
    onFailure: (error) => failures.push(error),
  })
  const ask = async (path: string, body: unknown, method = 'POST', authorization?: string) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request = { method, path, authorization, body: Buffer.from(text) }
    return (await facilitator.answer(request)) as FacilitatorAnswer
  }
  /** Settles, with a block mined for the transaction. */
  const settle = async (body: unknown) => {
    const asked = ask('/settle', body)
    await until(() => chain.pooled > 0)
    await chain.mine()
    return asked
  }
  const sign = (version: 1 | 2, nonce = 1, fields: Partial<AuthorizationFields> = {}) =>
    signAuthorization(PAYER, FACILITATED_TERMS, chain.now(), {
      version,
      nonce: nonceOf(nonce),
      ...fields,
    })
  return { chain, facilitator, settlement, claims, ask, settle, sign, failures }
}
