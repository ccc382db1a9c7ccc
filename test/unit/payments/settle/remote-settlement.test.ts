import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { neverAborted } from '../../../../host/base/signal.ts'
import { parseSecret } from '../../../../host/evm/chain-types/account-key.ts'
import type { AuthorizationProof } from '../../../../host/payments/protocol/proof.ts'
import { keySignature, transferByKey } from '../../../../host/payments/settle/authorization.ts'
import { Facilitator } from '../../../../host/payments/settle/facilitator.ts'
import { FacilitatorRules } from '../../../../host/payments/settle/facilitator-rules.ts'
import {
  RemoteSettlement,
  type RemoteSettlementOptions,
} from '../../../../host/payments/settle/remote-settlement.ts'
import { openSettler } from '../../../../host/payments/settle/settler.ts'
import { wasmRecovery } from '../../../support/chain/wasm-recovery.ts'
import { serveHttp } from '../../../support/http-server.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { memoryClaims } from '../../../support/payments/memory-claims.ts'
import { ModelChain } from '../../../support/payments/model-chain.ts'
import { nonceOf, signAuthorization } from '../../../support/payments/signed-authorization.ts'
import { until } from '../../../support/until.ts'
import { serveFacilitator } from './facilitator-server.ts'

const ASSET: Hex = '0x4020000000000000000000000000000000000402'
const PAYER = devAccount(1)
const FROM = PAYER.address.toLowerCase() as Hex
const PAY_TO = devAccount(9).address.toLowerCase() as Hex
const TOKEN = { name: 'USDC', version: '2' }
const TERMS = {
  chainId: 31337n,
  network: 'eip155:31337',
  asset: ASSET,
  token: TOKEN,
  amount: 1_000n,
  payTo: PAY_TO,
  maxTimeoutSeconds: 300,
}
const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`

function callOf(proof: AuthorizationProof): Hex {
  const signature = keySignature(proof.signature)
  if (signature === undefined) throw new Error('not signed by a key')
  return transferByKey(proof, signature)
}

describe('settlement through another facilitator', () => {
  const closing: (() => Promise<void>)[] = []

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  function makeChain(): ModelChain {
    const chain = new ModelChain(ASSET)
    chain.balances.set(FROM, 1_000_000n)
    return chain
  }

  const sign = (chain: ModelChain, version: 1 | 2 = 1, nonce = 1) =>
    signAuthorization(PAYER, TERMS, chain.now(), { version, nonce: nonceOf(nonce) })

  function open(chain: ModelChain, url: string, changes: Partial<RemoteSettlementOptions> = {}) {
    const headers = async () => ({ authorization: 'Bearer of the shop' })
    return new RemoteSettlement({
      chain,
      recovery: wasmRecovery,
      url: `${url}/`,
      headers,
      timeoutMs: 500,
      receiptDeadlineMs: 50,
      ...changes,
    })
  }

  /** Starts a facilitator with correct answers to /verify and a configured answer to /settle. */
  async function startHostile(
    settle: (response: ServerResponse, request: IncomingMessage) => unknown,
  ): Promise<string> {
    const { url, close } = await serveHttp((request, response) => {
      if (request.url === '/verify') response.end('{"isValid":true}')
      else settle(response, request)
    })
    closing.push(close)
    return url
  }

  test.each([1, 2] as const)('works with a facilitator of ours, in version %i', async (version) => {
    const chain = makeChain()
    const settler = await openSettler({
      chain,
      recovery: wasmRecovery,
      key: parseSecret('33'.repeat(32)),
    })
    closing.push(() => settler.close())
    const facilitator = new Facilitator({
      chainId: 31337n,
      network: TERMS.network,
      assets: [{ address: ASSET, token: TOKEN }],
      settlement: settler,
      signer: settler.address,
      claims: memoryClaims(),
      recovery: wasmRecovery,
      rules: new FacilitatorRules({ tokens: ['known'] }, { amount: 1n }),
    })
    const server = await serveFacilitator(facilitator)
    closing.push(() => server.close())
    const stranger = open(chain, server.url)
    const proof = await sign(chain, version)
    await expect(stranger.verify(proof, TERMS)).rejects.toThrow('status 401')
    const headers = async () => ({ authorization: 'Bearer known' })
    const remote = open(chain, server.url, { headers })
    expect(await remote.verify(proof, TERMS)).toEqual({ isValid: true, payer: FROM })
    const heard: Hex[] = []
    const sending = async (txHash: Hex) => {
      heard.push(txHash)
    }
    const asked = remote.settle(proof, TERMS, sending, neverAborted())
    await until(() => chain.pooled === 1)
    await chain.mine()
    const txHash = chain.receipts[0]?.txHash
    expect(await asked).toEqual({ success: true, txHash, payer: FROM })
    expect(heard).toEqual([txHash])
    // Settled already, so that the facilitator is not called again.
    await server.close()
    expect(await remote.settle(proof, TERMS, sending, neverAborted())).toMatchObject({
      success: true,
      txHash,
    })
  })

  test('refuses a payment that the facilitator refuses, with its reason', async () => {
    const chain = makeChain()
    const url = await startHostile((response) =>
      response.writeHead(400).end('{"success":false,"errorReason":"invalid_exact_evm_signature"}'),
    )
    const remote = open(chain, url)
    expect(
      await remote.settle(await sign(chain), TERMS, async () => {}, neverAborted()),
    ).toMatchObject({ success: false, errorReason: 'invalid_exact_evm_payload_signature' })
  })

  const other = JSON.stringify({ success: true, transaction: UNKNOWN, network: TERMS.network })
  const lies: readonly [string, (response: ServerResponse) => unknown, string][] = [
    [
      'a success without a transaction',
      (response) => response.end('{"success":true}'),
      'TRANSACTION_FAILED',
    ],
    [
      'a success of a transaction that no block has',
      (response) => response.end(other),
      'TRANSACTION_FAILED',
    ],
    ['a page', (response) => response.end('<html>ok</html>'), 'NODE_UNREACHABLE'],
    ['null', (response) => response.end('null'), 'NODE_UNREACHABLE'],
    ['no answer', () => {}, 'NODE_UNREACHABLE'],
    ['half an answer', (response) => response.write('{"success":'), 'NODE_UNREACHABLE'],
    ['a closed connection', (response) => response.destroy(), 'NODE_UNREACHABLE'],
    [
      'an answer of a megabyte',
      (response) => response.end(`{"success":true,"x":"${'x'.repeat(2 ** 20)}"}`),
      'NODE_UNREACHABLE',
    ],
    [
      'an address elsewhere',
      (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      'NODE_UNREACHABLE',
    ],
  ]
  test.each(lies)('does not trust an answer with %s', async (_, settle, code) => {
    const chain = makeChain()
    const remote = open(chain, await startHostile(settle))
    const proof = await sign(chain)
    await expect(remote.settle(proof, TERMS, async () => {}, neverAborted())).rejects.toMatchObject(
      { code },
    )
  })

  test('refuses a transaction that paid another payee or used another authorization', async () => {
    const chain = makeChain()
    const txHash = await chain.carryOut(callOf(await sign(chain, 1, 2)))
    const answer = JSON.stringify({ success: true, transaction: txHash, network: TERMS.network })
    const remote = open(chain, await startHostile((response) => response.end(answer)))
    await expect(
      remote.settle(await sign(chain), TERMS, async () => {}, neverAborted()),
    ).rejects.toMatchObject({ code: 'TRANSACTION_FAILED' })
  })

  test.each([
    ['loses the connection', (response: ServerResponse) => response.destroy()],
    ['says that it failed', (response: ServerResponse) => response.end('{"success":false}')],
    ['names another transaction', (response: ServerResponse) => response.end(other)],
  ] as const)(
    'accepts the transaction on the chain if the facilitator settles and %s',
    async (_, end) => {
      const chain = makeChain()
      const proof = await sign(chain)
      let txHash: Hex | undefined
      const url = await startHostile(async (response) => {
        txHash = await chain.carryOut(callOf(proof))
        end(response)
      })
      const result = await open(chain, url).settle(proof, TERMS, async () => {}, neverAborted())
      expect(result).toEqual({ success: true, txHash, payer: FROM })
    },
  )

  test('sends the facilitator its headers, and no error contains the path that may hold a key', async () => {
    const chain = makeChain()
    let shown: string | undefined
    const url = await startHostile((response, request) => {
      shown = request.headers.authorization
      response.end('null')
    })
    const remote = open(chain, `${url}/secret`)
    const thrown = await remote
      .settle(await sign(chain), TERMS, async () => {}, neverAborted())
      .catch((error: Error) => error.message)
    expect(shown).toBe('Bearer of the shop')
    expect(thrown).toBe(
      `the facilitator ${new URL(url).host} did not answer /settle: its response is not an object`,
    )
  })
})
