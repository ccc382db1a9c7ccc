import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Hex } from '../../../host/base/hex.ts'
import { neverAborted } from '../../../host/base/signal.ts'
import type { PaymentReceipt } from '../../../host/payments/chain/payment-chain.ts'
import type { TokenTransfer } from '../../../host/payments/chain/token-log.ts'
import { openChallenges } from '../../../host/payments/challenge/challenges.ts'
import {
  DEFAULT_TIMES,
  openPaymentGate,
  type PaymentGateParts,
} from '../../../host/payments/gate/open-payment-gate.ts'
import type {
  Admission,
  GateRequest,
  PaymentRefusal,
} from '../../../host/payments/gate/payment-gate.ts'
import type { PricedResource } from '../../../host/payments/protocol/terms.ts'
import { wasmRecovery } from '../chain/wasm-recovery.ts'
import { header64 } from './hand-made-proof.ts'
import { memoryClaims } from './memory-claims.ts'
import { MemoryPaymentChain, transferLog } from './memory-payment-chain.ts'

export const PAYER: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const PAY_TO: Hex = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'
export const TOKEN: Hex = '0x4020000000000000000000000000000000000402'

/** The transfer that a challenge asks for. */
export const PAYMENT: TokenTransfer = { asset: TOKEN, from: PAYER, to: PAY_TO, amount: 1_000n }

export const WEATHER: PricedResource = {
  path: '/weather',
  description: 'The weather',
  mediaType: 'application/json',
  style: 'contract',
  terms: {
    chainId: 31_337n,
    network: 'eip155:31337',
    asset: TOKEN,
    token: { name: 'USDC', version: '2' },
    amount: 1_000n,
    payTo: PAY_TO,
    maxTimeoutSeconds: 300,
  },
}

/** Returns the contract's proof, with these changes. */
export function transferProof(txHash: Hex, payload: object = {}, message: object = {}): string {
  return header64({
    x402Version: 1,
    scheme: 'exact',
    network: WEATHER.terms.network,
    payload: { txHash, amount: '1000', from: PAYER, ...payload },
    ...message,
  })
}

export interface RequestFacts {
  readonly method?: string
  readonly url?: string
  readonly client?: string
  readonly signal?: AbortSignal
  /** `too long` stands for a body over the server's limit. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

function bodyReader(body: string) {
  return async () => (body === 'too long' ? undefined : Buffer.from(body))
}

export function gateRequest(facts: RequestFacts = {}): GateRequest {
  const { method = 'GET', url = 'http://127.0.0.1:8402/weather', headers = {} } = facts
  return {
    method,
    url: new URL(url),
    header: (name) => [headers[name] ?? []].flat(),
    ...(facts.client === undefined ? {} : { client: facts.client }),
    ...(facts.body === undefined ? {} : { body: bodyReader(facts.body) }),
    signal: facts.signal ?? neverAborted(),
  }
}

export function refusal(answer: PaymentRefusal | Admission): PaymentRefusal {
  if (answer.kind === 'admitted') throw new Error('the request is admitted')
  return answer
}

export function admission(answer: PaymentRefusal | Admission): Admission {
  if (answer.kind === 'refused') throw new Error(`the request is refused: ${answer.body}`)
  return answer
}

/** Returns the reference of a challenge. */
export function referenceOf(answer: PaymentRefusal | Admission): string {
  return JSON.parse(refusal(answer).body).accepts[0].extra.reference
}

/** Returns a gate with a chain and claims in memory. */
export function gateFixture(parts: Partial<PaymentGateParts> = {}) {
  const chain = new MemoryPaymentChain()
  const claims = memoryClaims()
  const folder = mkdtempSync(join(tmpdir(), 'challenges-'))
  const challenges = openChallenges(folder)
  onTestFinished(() => {
    challenges.close()
    rmSync(folder, { recursive: true })
  })
  const gate = openPaymentGate({
    chain,
    claims,
    challenges,
    recovery: wasmRecovery,
    binding: 'bearer',
    times: DEFAULT_TIMES,
    ...parts,
  })
  return {
    chain,
    claims,
    challenges,
    gate,
    /** Requests a resource. */
    ask: (facts: RequestFacts = {}, resource: PricedResource = WEATHER) =>
      gate.decide(resource, gateRequest(facts)),
    /** Makes a block with the required payment. */
    pay: (change: Partial<TokenTransfer> = {}, facts: Partial<PaymentReceipt> = {}) =>
      chain.mine([transferLog({ ...PAYMENT, ...change })], facts),
  }
}
