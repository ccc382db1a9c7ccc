import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { neverAborted } from '../../../../host/base/signal.ts'
import { parseSecret } from '../../../../host/evm/chain-types/account-key.ts'
import type { AuthorizationProof } from '../../../../host/payments/protocol/proof.ts'
import type { PaymentTerms } from '../../../../host/payments/protocol/terms.ts'
import { keySignature, transferByKey } from '../../../../host/payments/settle/authorization.ts'
import {
  openSettler,
  type Settler,
  type SettlerOptions,
} from '../../../../host/payments/settle/settler.ts'
import { wasmRecovery } from '../../../support/chain/wasm-recovery.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { ModelChain } from '../../../support/payments/model-chain.ts'
import {
  type AuthorizationFields,
  nonceOf,
  signAuthorization,
} from '../../../support/payments/signed-authorization.ts'
import { until } from '../../../support/until.ts'

const ASSET: Hex = '0x4020000000000000000000000000000000000402'
const PAYER = devAccount(1)
const FROM = PAYER.address.toLowerCase() as Hex
const PAY_TO = devAccount(9).address.toLowerCase() as Hex
const OTHER = devAccount(5).address.toLowerCase() as Hex
const KEY = parseSecret(`0x${'11'.repeat(32)}`)

const TERMS: PaymentTerms = {
  chainId: 31337n,
  network: 'eip155:31337',
  asset: ASSET,
  token: { name: 'USDC', version: '2' },
  amount: 1_000n,
  payTo: PAY_TO,
  maxTimeoutSeconds: 300,
}

const silent = async () => {}

/** Returns the calldata with which anyone can execute an authorization. */
function callOf(proof: AuthorizationProof): Hex {
  const signature = keySignature(proof.signature)
  if (signature === undefined) throw new Error('not signed by a key')
  return transferByKey(proof, signature)
}

describe('the settler', () => {
  const open: Settler[] = []

  afterEach(async () => {
    for (const settler of open.splice(0)) await settler.close()
  })

  async function start(options: Partial<SettlerOptions> = {}) {
    const chain = new ModelChain(ASSET)
    chain.balances.set(FROM, 1_000_000n)
    return { chain, settler: await reopen(chain, options) }
  }

  async function reopen(chain: ModelChain, options: Partial<SettlerOptions> = {}) {
    const settler = await openSettler({ chain, recovery: wasmRecovery, key: KEY, ...options })
    open.push(settler)
    return settler
  }

  function sign(
    chain: ModelChain,
    fields: Partial<AuthorizationFields> = {},
    terms: PaymentTerms = TERMS,
  ) {
    return signAuthorization(PAYER, terms, chain.now(), {
      version: 2,
      nonce: nonceOf(1),
      ...fields,
    })
  }

  test('settles an authorization and returns the transaction, which it announced before', async () => {
    const { chain, settler } = await start()
    const proof = await sign(chain)
    expect(await settler.verify(proof, TERMS)).toMatchObject({ isValid: true, payer: FROM })
    const announced: [Hex, number][] = []
    const sending = async (txHash: Hex) => {
      announced.push([txHash, chain.pooled])
    }
    const settled = settler.settle(proof, TERMS, sending, neverAborted())
    await until(() => chain.pooled === 1)
    await chain.mine()
    const [[txHash, pooled] = ['0x', 1]] = announced
    expect(await settled).toEqual({ success: true, txHash, payer: FROM })
    expect(pooled).toBe(0)
    expect(chain.balances.get(PAY_TO)).toBe(1_000n)
  })

  const refusals: readonly [string, Partial<AuthorizationFields>, string][] = [
    ['another recipient', { to: OTHER }, 'invalid_exact_evm_payload_recipient_mismatch'],
    ['less than the price', { value: 999n }, 'invalid_exact_evm_payload_authorization_value'],
    [
      'more than the price in version 2',
      { value: 1_001n },
      'invalid_exact_evm_payload_authorization_value',
    ],
    [
      'an end within six seconds',
      { validBefore: 1_800_000_005n },
      'invalid_exact_evm_payload_authorization_valid_before',
    ],
    [
      'a begin beyond the skew of clocks',
      { validAfter: 1_800_000_011n },
      'invalid_exact_evm_payload_authorization_valid_after',
    ],
    ['somebody else as payer', { from: OTHER }, 'invalid_exact_evm_payload_signature'],
  ]
  test.each(refusals)('refuses %s', async (_, fields, invalidReason) => {
    const { chain, settler } = await start()
    const proof = await sign(chain, fields)
    const payer = proof.from
    expect(await settler.verify(proof, TERMS)).toEqual({ isValid: false, invalidReason, payer })
    expect(await settler.settle(proof, TERMS, silent, neverAborted())).toEqual({
      success: false,
      errorReason: invalidReason,
      payer,
    })
    expect(chain.sent).toBe(0)
  })

  test('refuses more than the payer can pay, and a signature for another chain, token or domain', async () => {
    const { chain, settler } = await start()
    for (const terms of [
      { ...TERMS, chainId: 1n },
      { ...TERMS, asset: OTHER },
      { ...TERMS, token: { name: 'USD Coin', version: '2' } },
      { ...TERMS, token: { name: 'USDC', version: '1' } },
    ]) {
      expect(await settler.verify(await sign(chain, {}, terms), TERMS)).toMatchObject({
        invalidReason: 'invalid_exact_evm_payload_signature',
      })
    }
    chain.balances.set(FROM, 999n)
    expect(await settler.verify(await sign(chain), TERMS)).toMatchObject({
      invalidReason: 'insufficient_funds',
    })
  })

  test('accepts more than the price in version 1, as its published verifier does', async () => {
    const { chain, settler } = await start()
    const proof = await sign(chain, { version: 1, value: 1_001n })
    expect(await settler.verify(proof, TERMS)).toMatchObject({ isValid: true, payer: FROM })
  })

  test('accepts an authorization that a third party has settled for this payTo, and pays no gas for it', async () => {
    const { chain, settler } = await start()
    const proof = await sign(chain)
    const txHash = await chain.carryOut(callOf(proof))
    expect(await settler.verify(proof, TERMS)).toMatchObject({ isValid: true, payer: FROM })
    const result = await settler.settle(proof, TERMS, silent, neverAborted())
    expect(result).toEqual({ success: true, txHash, payer: FROM })
    expect(chain.sent).toBe(0)
  })

  test.each([1_000n, 5_000n])(
    'accepts an authorization that is settled while it is verified, of a payer with a balance of %i',
    async (held) => {
      const { chain, settler } = await start()
      chain.balances.set(FROM, held)
      const proof = await sign(chain)
      const call = chain.call.bind(chain)
      let txHash: Hex | undefined
      vi.spyOn(chain, 'call').mockImplementation(async (to, data) => {
        // Settle it during the simulated transfer, after the nonce was queried.
        if (data.startsWith(callOf(proof).slice(0, 10))) txHash ??= await chain.carryOut(data)
        return call(to, data)
      })
      expect(await settler.verify(proof, TERMS)).toMatchObject({ isValid: true, payer: FROM })
      const result = await settler.settle(proof, TERMS, silent, neverAborted())
      expect(result).toEqual({ success: true, txHash, payer: FROM })
    },
  )

  test('refuses a nonce that was used for another payee, whatever else that transaction paid', async () => {
    const { chain, settler } = await start()
    // Two authorizations by one payer in one transaction; that with the used nonce pays the payer itself.
    await chain.carryOut(callOf(await sign(chain, { to: FROM, value: 0n })))
    await chain.carryOut(callOf(await sign(chain, { nonce: nonceOf(2) })))
    const [used, other] = chain.receipts.splice(0)
    if (used === undefined || other === undefined) throw new Error('not carried out')
    chain.receipts.push({ ...used, logs: [...other.logs, ...used.logs] })
    const reason = 'invalid_exact_evm_nonce_already_used'
    expect(await settler.verify(await sign(chain), TERMS)).toMatchObject({ invalidReason: reason })
    chain.receipts.splice(0, 1, { ...used, logs: [...used.logs, ...other.logs] })
    expect(await settler.verify(await sign(chain), TERMS)).toMatchObject({ invalidReason: reason })
  })

  test.each([true, false])(
    'finds the payment if a third party was faster and the token reverts: %s',
    async (revertsOnUsed) => {
      const { chain, settler } = await start()
      chain.revertsOnUsed = revertsOnUsed
      const proof = await sign(chain)
      const settled = settler.settle(proof, TERMS, silent, neverAborted())
      await until(() => chain.pooled === 1)
      const txHash = await chain.carryOut(callOf(proof))
      await chain.mine()
      expect(await settled).toEqual({ success: true, txHash, payer: FROM })
      expect(chain.balances.get(PAY_TO)).toBe(1_000n)
      expect(settler.figures()).toMatchObject({ settled: 1, settledByOthers: 1, failed: 1 })
    },
  )

  test.each([true, false])(
    'refuses if the nonce was used for another payee meanwhile and the token reverts: %s',
    async (revertsOnUsed) => {
      const { chain, settler } = await start()
      chain.revertsOnUsed = revertsOnUsed
      const proof = await sign(chain)
      const settled = settler.settle(proof, TERMS, silent, neverAborted())
      await until(() => chain.pooled === 1)
      await chain.carryOut(callOf(await sign(chain, { to: OTHER })))
      await chain.mine()
      expect(await settled).toMatchObject({
        success: false,
        errorReason: 'invalid_exact_evm_nonce_already_used',
      })
      expect(chain.balances.get(PAY_TO)).toBeUndefined()
    },
  )

  test('refuses with the reason if the authorization expires or the payer spends the money before its block', async () => {
    const { chain, settler } = await start()
    const late = settler.settle(await sign(chain), TERMS, silent, neverAborted())
    await until(() => chain.pooled === 1)
    chain.time += 300n
    await chain.mine()
    expect(await late).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_payload_authorization_valid_before',
    })
    const poor = settler.settle(await sign(chain), TERMS, silent, neverAborted())
    await until(() => chain.pooled === 1)
    chain.balances.set(FROM, 0n)
    await chain.mine()
    expect(await poor).toMatchObject({ success: false, errorReason: 'insufficient_funds' })
  })

  test('waits for the validity of an authorization whose payer has a fast clock', async () => {
    const { chain, settler } = await start()
    const proof = await sign(chain, { validAfter: chain.now() + 2n })
    const settled = settler.settle(proof, TERMS, silent, neverAborted())
    for (let block = 0; block < 2; block++) {
      await new Promise(setImmediate)
      expect(chain.pooled).toBe(0)
      await chain.mine()
    }
    await until(async () => {
      await chain.mine()
      return chain.sent === 1
    })
    await chain.mine()
    expect(await settled).toMatchObject({ success: true })
  })

  test('waits for the validity on a chain without empty blocks, too', async () => {
    const { chain, settler } = await start()
    const proof = await sign(chain, { validAfter: chain.now() + 2n })
    const settled = settler.settle(proof, TERMS, silent, neverAborted())
    await new Promise(setImmediate)
    chain.time += 3n
    await until(() => chain.pooled === 1)
    await chain.mine()
    expect(await settled).toMatchObject({ success: true })
  })

  test('makes one transaction for 100 concurrent requests with one authorization', async () => {
    const { chain, settler } = await start()
    const proof = await sign(chain)
    const announced: Hex[] = []
    const settled = Array.from({ length: 100 }, (_, at) =>
      settler.settle(
        // A separate copy each, as from different requests.
        { ...proof },
        TERMS,
        async (txHash) => {
          announced[at] = txHash
        },
        neverAborted(),
      ),
    )
    await until(() => announced.filter(Boolean).length === 100)
    await chain.mine()
    const results = await Promise.all(settled)
    expect(new Set(results.map((result) => result.success && result.txHash))).toEqual(
      new Set(announced),
    )
    expect(chain.sent).toBe(1)
    expect(chain.balances.get(PAY_TO)).toBe(1_000n)
  })

  test('sends 256 authorizations at once, which are all in the next block', async () => {
    const { chain, settler } = await start()
    const proofs = await Promise.all(
      Array.from({ length: 256 }, (_, at) => sign(chain, { nonce: nonceOf(at) })),
    )
    const settled = proofs.map((proof) => settler.settle(proof, TERMS, silent, neverAborted()))
    await until(() => chain.pooled === 256)
    await chain.mine()
    const results = await Promise.all(settled)
    expect(results.every(({ success }) => success)).toBe(true)
    expect(chain.balances.get(PAY_TO)).toBe(256_000n)
    expect(chain.receipts.length).toBe(256)
  })

  test('does not send more than a payer has, including payments in flight', async () => {
    const { chain, settler } = await start()
    chain.balances.set(FROM, 2_500n)
    const proofs = await Promise.all(
      Array.from({ length: 5 }, (_, at) => sign(chain, { nonce: nonceOf(at) })),
    )
    const settled = proofs.map((proof) => settler.settle(proof, TERMS, silent, neverAborted()))
    await until(() => chain.pooled === 2)
    await until(() => settler.figures().inFlight === 2)
    await chain.mine()
    const reasons = (await Promise.all(settled)).map((result) =>
      result.success ? 'settled' : result.errorReason,
    )
    expect(reasons.sort()).toEqual([
      ...Array.from({ length: 3 }, () => 'insufficient_funds'),
      'settled',
      'settled',
    ])
    expect(chain.sent).toBe(2)
  })
})
