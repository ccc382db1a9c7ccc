import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { UnsignedTransaction } from '../../host/evm/chain-types/transaction-codec.ts'
import { loadEngine } from '../../host/evm/engine/engine.ts'
import { compilePolicies, evaluateCompiled } from '../../host/wallet/policy/evaluate-policy.ts'
import type { ApiPolicy } from '../../host/wallet/protocol/policy-shapes.ts'
import { readRequest } from '../../host/wallet/signer/authorized-request.ts'
import { addressOfSecret, signTransactionWith } from '../../host/wallet/signer/key-signer.ts'
import { readMemberKey } from '../../host/wallet/signer/quorum-members.ts'
import {
  HandKey,
  type HandRequest,
  payloadText,
} from '../../test/wallets/service/hand-made-request.ts'
import { quantile } from '../statistics.ts'

const ENGINE = new URL('../../build/engine.wasm', import.meta.url)
const RUNS = 3_000
const WARM_UP = 500
const BASE = 'http://127.0.0.1:8403'
const APP = 'a'.repeat(24)
const TO = Buffer.alloc(20, 0x42)

export interface Share {
  readonly part: 'authorization' | 'policy' | 'signing'
  /** Microseconds of one request, p50. */
  readonly us: number
}

function timeOf(run: () => void): number {
  const times: number[] = []
  for (let i = 0; i < WARM_UP + RUNS; i++) {
    const start = performance.now()
    run()
    if (i >= WARM_UP) times.push((performance.now() - start) * 1_000)
  }
  return quantile(times, 0.5)
}

function authorization(): () => void {
  const owner = new HandKey()
  const member = readMemberKey(owner.public)
  const body = JSON.stringify({
    method: 'eth_signTransaction',
    params: {
      transaction: { to: `0x${TO.toString('hex')}`, value: '0x1', chain_id: 31337, nonce: 0 },
    },
  })
  const headers = {
    'wallet-app-id': APP,
    'wallet-request-expiry': String(Date.now() + 3_600_000),
  }
  const request = {
    method: 'POST',
    path: `/v1/wallets/${'w'.repeat(24)}/rpc`,
    body,
    headers,
  } as const
  const signature = owner.sign(payloadText(BASE, request satisfies HandRequest))
  const signed = { ...request, signatures: [signature.toString('base64')] }
  const rules = { publicUrls: [BASE], requireExpiry: false }
  return () => {
    const { keys } = readRequest([APP], signed, rules, Date.now()).approvals([member])
    if (keys.size !== 1) throw new Error('the request is not authorized')
  }
}

const TRANSACTION: UnsignedTransaction = {
  type: 2,
  chainId: 31_337n,
  nonce: 0n,
  maxFeePerGas: 10n ** 9n,
  maxPriorityFeePerGas: 1n,
  maxFeePerBlobGas: 0n,
  gas: 21_000n,
  to: TO,
  value: 1n,
  data: new Uint8Array(0),
  accessList: [],
  blobHashes: [],
  authorizations: [],
}

function policy(): () => void {
  const source = 'ethereum_transaction'
  const policies: readonly ApiPolicy[] = [
    {
      id: 'p',
      version: '1.0',
      name: 'bench',
      chain_type: 'ethereum',
      owner_id: null,
      created_at: 0,
      rules: [
        {
          id: 'r',
          name: 'small',
          method: 'eth_signTransaction',
          action: 'ALLOW',
          conditions: [
            {
              field_source: source,
              field: 'to',
              operator: 'in',
              value: [`0x${'41'.repeat(20)}`, `0x${'42'.repeat(20)}`],
            },
            { field_source: source, field: 'value', operator: 'lte', value: '1000000' },
          ],
        },
      ],
    },
  ]
  const compiled = compilePolicies(policies)
  const question = {
    policies,
    action: { method: 'eth_signTransaction', transaction: TRANSACTION },
    wallet: TO,
    windows: { spent: () => 0n },
    now: 0,
  } as const
  return () => {
    const { allowed, reason } = evaluateCompiled(compiled, question)
    if (!allowed) throw new Error(reason)
  }
}

async function signing(): Promise<() => void> {
  const secret = randomBytes(32)
  const address = addressOfSecret(secret)
  const recovery = await loadEngine(await readFile(ENGINE))
  return () => {
    signTransactionWith(TRANSACTION, secret, address, recovery)
  }
}

/** Measures the signer's own steps alone in one process. The rest of a request is sockets, disk and JSON. */
export async function measureShares(): Promise<readonly Share[]> {
  return [
    { part: 'authorization', us: timeOf(authorization()) },
    { part: 'policy', us: timeOf(policy()) },
    { part: 'signing', us: timeOf(await signing()) },
  ]
}
