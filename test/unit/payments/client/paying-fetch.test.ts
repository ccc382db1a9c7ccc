import { type Hex, keccak256, recoverTypedDataAddress, toHex } from 'viem'
import { hardhat } from 'viem/chains'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { wrapFetchWithPayment } from '../../../../host/payments/client/fetch.ts'
import type { Payment } from '../../../../host/payments/client/payment.ts'
import { PaymentError } from '../../../../host/payments/client/payment-error.ts'
import type { PaymentOptions } from '../../../../host/payments/client/payment-options.ts'
import { memoryPayments } from '../../../../host/payments/client/payment-store.ts'
import { answerJson } from '../../../support/fake-server.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { TOKEN_TYPES } from '../../../support/payments/token-abi.ts'
import { DEV_TOKEN_ADDRESS, RpcError, ScriptedChain, scriptedWallet } from './scripted-chain.ts'
import {
  challenge,
  contractRequirement,
  openSeller,
  PAY_TO,
  requiredHeader,
  type ScriptedSeller,
} from './scripted-seller.ts'

const PAYER = devAccount(0).address

let seller: ScriptedSeller
let chain: ScriptedChain
beforeEach(async () => {
  seller = await openSeller()
  chain = new ScriptedChain()
})
afterEach(() => seller.close())

function paying(options: PaymentOptions = {}, kind: 'local' | 'json-rpc' = 'local') {
  return wrapFetchWithPayment(fetch, scriptedWallet(chain, kind), options)
}

async function failure(request: Promise<unknown>): Promise<PaymentError> {
  const error = await request.then(
    () => new Error('there is a response'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof PaymentError) return error
  throw error
}

/** Expects that nothing was signed or sent. */
function expectNothingPaid(error: PaymentError): void {
  expect(error).toMatchObject({ moneyMoved: 'no', payment: undefined })
  expect(chain.calls.filter((method) => /send|sign/i.test(method))).toEqual([])
  expect(seller.shown).toEqual([])
}

interface Authorized {
  readonly signature: Hex
  readonly authorization: Readonly<Record<string, string>>
}

/** Returns the address that signed the authorization of a proof. */
function authorizedBy({ signature, authorization }: Authorized) {
  const { from, to, value = '', validAfter = '', validBefore = '', nonce } = authorization
  return recoverTypedDataAddress({
    signature,
    domain: { name: 'USDC', version: '2', chainId: 31337, verifyingContract: DEV_TOKEN_ADDRESS },
    primaryType: 'TransferWithAuthorization',
    types: TOKEN_TYPES,
    message: {
      from: from as Hex,
      to: to as Hex,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
  })
}

describe('a seller in the contract’s style', () => {
  test.each(['local', 'json-rpc'] as const)(
    'is paid by one transfer and shown its hash, by an account that is %s',
    async (kind) => {
      const response = await paying({}, kind)(`${seller.url}/weather`)
      expect(response.status).toBe(200)
      expect(response.url).toBe(`${seller.url}/weather`)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toEqual({ paid: true })
      expect(chain.transfers).toMatchObject([{ amount: 1000n }])
      expect(chain.transfers[0]?.to.toLowerCase()).toBe(PAY_TO)
      const payload = { txHash: chain.transfers[0]?.hash, amount: '1000', from: PAYER }
      expect(seller.shown.map(({ header, json }) => [header, json])).toEqual([
        ['x-payment', { x402Version: 1, scheme: 'exact', network: 'eip155:31337', payload }],
      ])
    },
  )

  test('is shown the transfer once a block contains it, with no more queries than needed', async () => {
    chain.mines = false
    let looked = 0
    chain.before = (method) => {
      if (method === 'eth_getTransactionReceipt' && ++looked === 3) chain.mine()
    }
    expect((await paying()(`${seller.url}/weather`)).status).toBe(200)
    expect(looked).toBe(3)
  })

  test('that binds by reference finds it after the transfer data and in the proof', async () => {
    seller.answers = ({ response, proof }) => {
      if (proof !== undefined) return answerJson(response, 200, {})
      const extra = { name: 'USDC', version: '2', reference: 'the reference', binding: 'reference' }
      answerJson(response, 402, challenge(contractRequirement('/weather', { extra })))
    }
    await paying()(`${seller.url}/weather`)
    expect(chain.mined[0]?.input.slice(2 + 8 + 128)).toBe(
      keccak256(toHex('the reference')).slice(2),
    )
    expect(seller.shown[0]?.json.payload.reference).toBe('the reference')
  })

  test('that binds by signature gets the payer’s signature over the request', async () => {
    seller.answers = ({ response, proof }) => {
      if (proof !== undefined) return answerJson(response, 200, {})
      const extra = { name: 'USDC', version: '2', reference: 'the reference', binding: 'signed' }
      answerJson(response, 402, challenge(contractRequirement('/weather', { extra })))
    }
    await paying()(`${seller.url}/weather?at=sea`, { method: 'POST', body: 'x' })
    const { txHash, reference, signature } = seller.shown[0]?.json.payload ?? {}
    expect(chain.mined[0]?.input).toHaveLength(2 + 8 + 128)
    const signer = await recoverTypedDataAddress({
      signature,
      domain: { name: 'Lockstep payment', version: '1', chainId: 31337 },
      primaryType: 'PaidRequest',
      types: {
        PaidRequest: [
          { name: 'method', type: 'string' },
          { name: 'resource', type: 'string' },
          { name: 'reference', type: 'string' },
          { name: 'txHash', type: 'bytes32' },
        ],
      },
      message: { method: 'POST', resource: '/weather?at=sea', reference, txHash },
    })
    expect([signer, reference]).toEqual([PAYER, 'the reference'])
  })
})

describe('a seller of x402', () => {
  test('v1 gets an authorization in X-PAYMENT', async () => {
    seller.answers = ({ request, response, proof }) => {
      if (proof !== undefined) return answerJson(response, 200, {})
      const extra = { name: 'USDC', version: '2' }
      const url = `${seller.url}${request.url}`
      answerJson(response, 402, challenge(contractRequirement(url, { extra })))
    }
    const before = Math.floor(Date.now() / 1000)
    await paying()(`${seller.url}/weather`)
    const [{ header, json } = { header: '', json: undefined }] = seller.shown
    expect(header).toBe('x-payment')
    expect(json).toMatchObject({ x402Version: 1, scheme: 'exact', network: 'eip155:31337' })
    const { authorization } = json.payload
    expect(authorization).toMatchObject({ from: PAYER, to: PAY_TO, value: '1000', validAfter: '0' })
    expect(Number(authorization.validBefore) - before - 300).toBeOneOf([0, 1, 2])
    expect(authorization.nonce).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await authorizedBy(json.payload)).toBe(PAYER)
    expect(chain.mined).toEqual([])
  })

  test('v2 gets an authorization in PAYMENT-SIGNATURE, with the fields that it sent', async () => {
    seller.answers = ({ request, response, proof }) => {
      if (proof !== undefined) return answerJson(response, 200, {})
      const required = requiredHeader(`${seller.url}${request.url}`)
      answerJson(response, 402, {}, { 'payment-required': required })
    }
    await paying()(`${seller.url}/weather?at=sea`)
    const [{ header, json } = { header: '', json: undefined }] = seller.shown
    expect(header).toBe('payment-signature')
    const resource = {
      url: `${seller.url}/weather?at=sea`,
      description: '',
      mimeType: 'application/json',
    }
    const accepted = {
      scheme: 'exact',
      network: 'eip155:31337',
      amount: '1000',
      asset: DEV_TOKEN_ADDRESS,
      payTo: PAY_TO,
      maxTimeoutSeconds: 300,
      extra: { name: 'USDC', version: '2' },
    }
    expect(json).toMatchObject({ x402Version: 2, resource, accepted })
    expect(await authorizedBy(json.payload)).toBe(PAYER)
  })

  test('that asks for an authorization of a year gets one of ten minutes', async () => {
    seller.answers = ({ request, response, proof }) => {
      if (proof !== undefined) return answerJson(response, 200, {})
      const year = { maxTimeoutSeconds: 31_536_000 }
      const required = requiredHeader(`${seller.url}${request.url}`, year)
      answerJson(response, 402, {}, { 'payment-required': required })
    }
    await paying()(`${seller.url}/weather`)
    const { validBefore } = seller.shown[0]?.json.payload.authorization ?? {}
    expect(Number(validBefore)).toBeLessThanOrEqual(Date.now() / 1000 + 600)
  })
})

describe('if a seller accepts all three ways', () => {
  beforeEach(() => {
    seller.answers = ({ request, response, proof }) => {
      if (proof !== undefined) return answerJson(response, 200, {})
      const required = requiredHeader(`${seller.url}${request.url}`)
      const body = challenge(contractRequirement(`${request.url}`))
      answerJson(response, 402, body, { 'payment-required': required })
    }
  })

  test('an authorization is signed by default', async () => {
    await paying()(`${seller.url}/weather`)
    expect(seller.shown.map(({ header }) => header)).toEqual(['payment-signature'])
  })

  test('a transfer is sent if it is preferred', async () => {
    await paying({ prefer: 'transfer' })(`${seller.url}/weather`)
    expect(seller.shown.map(({ header }) => header)).toEqual(['x-payment'])
    expect(chain.transfers).toHaveLength(1)
  })
})

describe('a request with paying fetch', () => {
  test('for a free resource is sent once, and its response is returned unchanged', async () => {
    const free = new Response('free')
    const urls: string[] = []
    const pay = wrapFetchWithPayment(async (url) => {
      urls.push(`${url}`)
      return free
    }, scriptedWallet(chain))
    expect(await pay('http://127.0.0.1:1/free')).toBe(free)
    expect(urls).toEqual(['http://127.0.0.1:1/free'])
    expect(chain.calls).toEqual([])
  })

  test.each([301, 400, 401, 403, 404, 410, 500, 503])(
    'answered with %d is an error',
    async (status) => {
      seller.answers = ({ response }) => answerJson(response, status, { why: 'not here' })
      const error = await failure(paying()(`${seller.url}/weather`))
      expect(error).toMatchObject({ code: 'UNEXPECTED_STATUS', status })
      expect(error.message).toBe(`GET ${seller.url}/weather gave ${status}`)
      expect(await (error.response as Response).json()).toEqual({ why: 'not here' })
      expectNothingPaid(error)
    },
  )

  test.each([
    ['a text', () => 'the body', 'text/plain;charset=UTF-8'],
    ['bytes', () => new TextEncoder().encode('the body'), undefined],
    ['a Blob', () => new Blob(['the body'], { type: 'text/css' }), 'text/css'],
    ['URLSearchParams', () => new URLSearchParams({ the: 'body' }), /x-www-form-urlencoded/],
    ['a form', () => formOf({ the: 'body' }), /^multipart\/form-data; boundary=/],
  ])('with a body that is %s is sent twice with the same body', async (_, make, type) => {
    const seen: { body: string; type: string | undefined }[] = []
    seller.answers = ({ request, response, proof, body }) => {
      seen.push({ body, type: request.headers['content-type'] })
      if (proof !== undefined) answerJson(response, 200, {})
      else answerJson(response, 402, challenge(contractRequirement('/weather')))
    }
    await paying()(`${seller.url}/weather`, { method: 'POST', body: make() })
    const plain = ({ body, type: its }: { body: string; type: string | undefined }) =>
      [body, its].map((text) => text?.replace(/-{4,}[\w-]+/g, ''))
    expect(seen).toHaveLength(2)
    expect(plain(seen[1] as never)).toEqual(plain(seen[0] as never))
    expect(seen[0]?.body).toContain('body')
    if (type === undefined) expect(seen[0]?.type).toBeUndefined()
    else expect(seen[0]?.type).toMatch(type)
  })

  test('given as a Request keeps its method, headers and body', async () => {
    const seen: unknown[] = []
    seller.answers = ({ request, response, proof, body }) => {
      seen.push([request.method, request.headers.accept, request.headers['x-mine'], body])
      if (proof !== undefined) answerJson(response, 200, {})
      else answerJson(response, 402, challenge(contractRequirement('/weather')))
    }
    const headers = { accept: 'text/csv', 'x-mine': '1' }
    const request = new Request(`${seller.url}/weather`, { method: 'PUT', headers, body: 'this' })
    expect((await paying()(request)).status).toBe(200)
    expect(seen).toEqual(Array.from({ length: 2 }, () => ['PUT', 'text/csv', '1', 'this']))
  })

  test('with a stream as body is refused before a payment, with the remedy', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('once'))
        controller.close()
      },
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    const error = await failure(paying()(`${seller.url}/weather`, init))
    expect(error).toMatchObject({ code: 'BODY_NOT_REPEATABLE', status: 402 })
    expect(error.hint).toContain('pass the body as text, bytes, a Blob or a form')
    expectNothingPaid(error)
  })
})

function formOf(entries: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(entries)) form.append(name, value)
  form.append('file', new File(['file body'], 'a.txt', { type: 'text/plain' }))
  return form
}

describe('nothing is paid', () => {
  const asks = (over: object, path = '/weather') => {
    seller.answers = ({ response }) =>
      answerJson(response, 402, challenge(contractRequirement(path, over)))
  }

  test.each([
    ['a price above maxAmount', { maxAmountRequired: '100001' }, /maxAmount is 100000$/],
    ['a price of 2^255', { maxAmountRequired: `${2n ** 255n}` }, /^the price is 5789604461/],
    ['another token', { asset: `0x${'ab'.repeat(20)}` }, /has no maxAmount$/],
    [
      'a network that is not the wallet’s',
      { network: 'base' },
      /^the network is "base", the wallet is on eip155:31337$/,
    ],
    ['a network of a made-up name', { network: 'mynet' }, /^the network is "mynet"/],
  ])('if the offer is for %s', async (_, over, message) => {
    asks(over)
    const error = await failure(paying()(`${seller.url}/weather`))
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', status: 402 })
    expect(error.message).toMatch(message)
    expect(await (error.response as Response).json()).toMatchObject({ x402Version: 1 })
    expectNothingPaid(error)
  })

  test.each([
    ['/other', '/weather'],
    ['/weather/yesterday', '/weather'],
    ['/weathers', '/weather'],
    ['/WEATHER', '/weather'],
    ['//evil.example/weather', '/weather'],
    ['http://127.0.0.1:1/weather', '/weather'],
    ['http://localhost:1/weather', '/weather'],
    ['http://127.0.0.1.evil.example/weather', '/weather'],
    ['https://evil.example/weather', '/weather'],
    ['/weather?at=land', '/weather?at=sea'],
    ['mcp://tool/weather', '/weather'],
  ])('if the offer is for %s and the request was for %s', async (named, asked) => {
    asks({}, named)
    const error = await failure(paying()(`${seller.url}${asked}`))
    expect(error.code).toBe('CHALLENGE_INVALID')
    expect(error.message).toBe(`the 402 of ${seller.url}${asked} requests payment for "${named}"`)
    expectNothingPaid(error)
  })

  test.each(['/files', '/files/', '/', '/files/a.json'])(
    'except for a resource in the folder of the request: %s',
    async (named) => {
      seller.answers = ({ response, proof }) => {
        if (proof !== undefined) answerJson(response, 200, {})
        else answerJson(response, 402, challenge(contractRequirement(named)))
      }
      expect((await paying()(`${seller.url}/files/a.json?x=1`)).status).toBe(200)
    },
  )

  test.each(['localhost', '[::1]'])(
    'except for another name of this machine, which is %s',
    async (name) => {
      const named = `${seller.url.replace('127.0.0.1', name)}/weather`
      seller.answers = ({ response, proof }) => {
        if (proof !== undefined) answerJson(response, 200, {})
        else answerJson(response, 402, challenge(contractRequirement(named)))
      }
      expect((await paying()(`${seller.url}/weather`)).status).toBe(200)
    },
  )

  test('by transfer on another chain than that of the wallet', async () => {
    chain.chainId = 1
    const wallet = { ...scriptedWallet(chain), chain: hardhat }
    const error = await failure(wrapFetchWithPayment(fetch, wallet)(`${seller.url}/weather`))
    expect(error).toMatchObject({ code: 'WALLET_FAILED', status: 402 })
    expect(error.message).toBe('the wallet is on chain 1, the payment is for chain 31337')
    expectNothingPaid(error)
  })

  test('for an endless challenge body', async () => {
    let sent = 0
    seller.answers = ({ response }) => {
      response.writeHead(402, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write('{'.repeat(65_536))) sent += 65_536
        sent += 65_536
      }
      response.on('drain', more)
      more()
    }
    const error = await failure(paying()(`${seller.url}/weather`))
    expect([error.code, error.message]).toEqual(['CHALLENGE_INVALID', 'the body is not JSON'])
    expectNothingPaid(error)
    expect(sent).toBeLessThan(64 * 2 ** 20)
  })

  test('for a challenge header of a megabyte', async () => {
    seller.answers = ({ response }) =>
      answerJson(response, 402, {}, { 'payment-required': 'A'.repeat(2 ** 20) })
    // Node’s fetch reads at most 16 KiB of headers.
    await expect(paying()(`${seller.url}/weather`)).rejects.toThrow('fetch failed')
    expect(seller.shown).toEqual([])
  })

  test('if the wallet’s owner declines', async () => {
    chain.before = (method) => {
      if (method === 'eth_sendTransaction') throw new RpcError(4001, 'User rejected the request.')
    }
    const payments = memoryPayments()
    const error = await failure(paying({ payments }, 'json-rpc')(`${seller.url}/weather`))
    expect(error).toMatchObject({ code: 'WALLET_FAILED', moneyMoved: 'no' })
    expect(error.message).toContain('User rejected')
    expect(chain.mined).toEqual([])
  })

  test('if the node accepts no transaction, and the amount is not counted', async () => {
    const pay = paying({ maxTotal: 1000n })
    chain.before = (method) => {
      if (method === 'eth_sendRawTransaction') throw new RpcError(-32000, 'insufficient funds')
    }
    expect(await failure(pay(`${seller.url}/weather`))).toMatchObject({
      code: 'WALLET_FAILED',
      moneyMoved: 'no',
    })
    chain.before = () => undefined
    expect((await pay(`${seller.url}/weather`)).status).toBe(200)
    expect((await failure(pay(`${seller.url}/weather`))).message).toContain('maxTotal is 1000')
  })

  test('beyond the total limit by concurrent requests', async () => {
    const pay = paying({ maxTotal: 3000n })
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => pay(`${seller.url}/weather?${index}`)),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(chain.transfers).toHaveLength(3)
  })
})

describe('a redirect in paying fetch', () => {
  let other: ScriptedSeller
  beforeEach(async () => {
    other = await openSeller()
  })
  afterEach(() => other.close())

  test('to another origin is not paid, and nothing is disclosed there', async () => {
    seller.answers = ({ response }) => {
      response.writeHead(302, { location: `${other.url}/weather` }).end()
    }
    const error = await failure(paying()(`${seller.url}/weather`))
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', status: 402 })
    expect(error.message).toBe(
      `${seller.url}/weather redirects to ${other.url}/weather, which requires payment`,
    )
    expectNothingPaid(error)
    expect(other.shown).toEqual([])
  })

  test('of the same origin is paid at its target, without being followed again', async () => {
    seller.answers = ({ request, response, proof }) => {
      if (request.url === '/old') response.writeHead(302, { location: '/weather' }).end()
      else if (proof === undefined)
        answerJson(response, 402, challenge(contractRequirement('/weather')))
      else answerJson(response, 200, {})
    }
    expect((await paying()(`${seller.url}/old`)).status).toBe(200)
    expect(seller.shown.map(({ url }) => url)).toEqual(['/weather'])
    const error = await failure(paying()(`${seller.url}/old`, { method: 'POST', body: '' }))
    expect(error.code).toBe('LIMIT_EXCEEDED')
  })

  test('of a paid request is not followed, so that the proof is not disclosed', async () => {
    seller.answers = ({ response, proof }) => {
      if (proof === undefined) answerJson(response, 402, challenge(contractRequirement('/weather')))
      else response.writeHead(307, { location: `${other.url}/weather` }).end()
    }
    const error = await failure(paying()(`${seller.url}/weather`))
    expect(error).toMatchObject({ code: 'NOT_DELIVERED', status: 307, moneyMoved: 'yes' })
    expect(other.shown).toEqual([])
  })
})

test('the payment callback is called for each payment with a response', async () => {
  const told: Payment[] = []
  const pay = paying({
    onPaid: (payment) => {
      told.push(payment)
      throw new Error('of the caller')
    },
  })
  expect((await pay(`${seller.url}/weather`)).status).toBe(200)
  expect(told).toMatchObject([
    {
      state: 'confirmed',
      amount: '1000',
      payTo: PAY_TO,
      payer: PAYER,
      url: `${seller.url}/weather`,
      transfer: { txHash: chain.transfers[0]?.hash },
    },
  ])
})

test('a wallet without an account is refused immediately', () => {
  const { account: _, ...wallet } = scriptedWallet(chain)
  expect(() => wrapFetchWithPayment(fetch, wallet)).toThrow('the wallet client has no account')
})

test('names of unlisted networks can be configured', async () => {
  seller.answers = ({ response, proof }) => {
    if (proof !== undefined) return answerJson(response, 200, {})
    answerJson(response, 402, challenge(contractRequirement('/weather', { network: 'mynet' })))
  }
  const pay = paying({ networkNames: { mynet: 31337 } })
  expect((await pay(`${seller.url}/weather`)).status).toBe(200)
  expect(seller.shown[0]?.json.network).toBe('mynet')
})
