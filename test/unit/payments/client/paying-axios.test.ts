import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  withPaymentInterceptor,
  wrapAxiosWithPayment,
} from '../../../../host/payments/client/axios.ts'
import { PaymentError } from '../../../../host/payments/client/payment-error.ts'
import type { PaymentOptions } from '../../../../host/payments/client/payment-options.ts'
import { answerJson } from '../../../support/fake-server.ts'
import { absentPeers, peer } from '../../../support/payments/peers.ts'
import { type Sales, sellHonestly } from './honest-seller.ts'
import { ScriptedChain, scriptedWallet } from './scripted-chain.ts'
import {
  challenge,
  contractRequirement,
  openSeller,
  type ScriptedSeller,
} from './scripted-seller.ts'

const ABSENT = absentPeers('axios')

let seller: ScriptedSeller
let chain: ScriptedChain
let sales: Sales
beforeEach(async () => {
  seller = await openSeller()
  chain = new ScriptedChain()
  sales = sellHonestly(seller, chain, 'transfer')
})
afterEach(() => seller.close())

async function failure(request: Promise<unknown>): Promise<PaymentError> {
  const error = await request.then(
    () => new Error('there is a response'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof PaymentError) return error
  throw error
}

describe.skipIf(ABSENT !== '').each(['http', 'fetch'])(
  `axios by its adapter %s${ABSENT}`,
  (adapter) => {
    function paying(options: PaymentOptions = {}, config: object = {}) {
      const axios = peer('axios').create({ baseURL: seller.url, adapter, ...config })
      return withPaymentInterceptor(axios, scriptedWallet(chain), {
        pollingInterval: 5,
        ...options,
      })
    }

    test.each(['transfer', 'authorization'] as const)(
      'pays by %s, and parses the response',
      async (way) => {
        sales = sellHonestly(seller, chain, way)
        const { status, data, config } = await paying().get('/weather', { params: { at: 'sea' } })
        expect([status, Object.keys(data)]).toEqual([200, ['paid']])
        expect(seller.shown.map(({ url }) => url)).toEqual(['/weather?at=sea'])
        expect(sales.delivered.size).toBe(1)
        expect(config.url).toBeDefined()
      },
    )

    test('sends data, headers and changes by other interceptors with both requests', async () => {
      const seen: unknown[] = []
      seller.answers = ({ request, response, proof, body }) => {
        const { 'x-mine': mine, 'content-type': type } = request.headers
        seen.push([request.method, mine, type, body])
        if (proof !== undefined) answerJson(response, 201, { done: true })
        else answerJson(response, 402, challenge(contractRequirement('/orders')))
      }
      const axios = paying()
      axios.interceptors.request.use((config: { headers: Record<string, string> }) => {
        config.headers['x-mine'] = '1'
        return config
      })
      const transformed: unknown[] = []
      axios.interceptors.response.use((response: { data: unknown }) => {
        transformed.push(response.data)
        return response
      })
      expect((await axios.post('/orders', { item: 7 })).data).toEqual({ done: true })
      const sent = ['POST', '1', 'application/json', '{"item":7}']
      expect(seen).toEqual([sent, sent])
      expect(transformed).toEqual([{ done: true }])
    })

    test('rejects for a status other than 402 and 2xx, with the response parsed', async () => {
      seller.answers = ({ response }) => answerJson(response, 404, { why: 'not here' })
      const error = await failure(paying({}, { validateStatus: () => true }).get('/weather'))
      expect(error).toMatchObject({ code: 'UNEXPECTED_STATUS', status: 404, moneyMoved: 'no' })
      expect((error.response as { data: unknown }).data).toEqual({ why: 'not here' })
    })

    test.each(['arraybuffer', 'text'])(
      'reads a challenge if the response type is %s',
      async (responseType) => {
        const { status } = await paying().get('/weather', { responseType })
        expect([status, chain.transfers.length]).toEqual([200, 1])
      },
    )

    test('stores its payment and uses it with the next request', async () => {
      const axios = paying()
      sales.failsNext = true
      const error = await failure(axios.get('/weather'))
      expect(error).toMatchObject({ code: 'NOT_DELIVERED', status: 503, moneyMoved: 'yes' })
      expect((await axios.get('/weather')).status).toBe(200)
      expect(chain.transfers).toHaveLength(1)
    })

    test('keeps its payment if the response body is truncated', async () => {
      const answers = seller.answers
      seller.answers = (asked) => {
        if (asked.proof === undefined) return answers(asked)
        asked.response.writeHead(200, { 'content-length': '1000' })
        asked.response.write('{"paid":', () => asked.response.destroy())
      }
      const axios = paying()
      const error = await failure(axios.get('/weather'))
      expect(error).toMatchObject({ code: 'NOT_DELIVERED', moneyMoved: 'yes' })
      seller.answers = answers
      expect((await axios.get('/weather')).status).toBe(200)
      expect(chain.transfers).toHaveLength(1)
    })

    test('pays nothing beyond a limit', async () => {
      const error = await failure(paying({ maxAmount: 999n }).get('/weather'))
      expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', status: 402, moneyMoved: 'no' })
      expect(chain.mined).toEqual([])
    })

    test('does not follow a redirect with a proof', async () => {
      const answers = seller.answers
      seller.answers = (asked) => {
        if (asked.proof === undefined) return answers(asked)
        asked.response.writeHead(307, { location: '/elsewhere' }).end()
      }
      const error = await failure(paying().get('/weather'))
      expect(error.code).toBe('NOT_DELIVERED')
      expect(seller.shown.map(({ url }) => url)).toEqual(['/weather'])
    })

    test('stops at the signal', async () => {
      const controller = new AbortController()
      chain.mines = false
      chain.before = (method) => {
        if (method === 'eth_getTransactionReceipt') controller.abort(new Error('enough'))
      }
      const axios = paying()
      const error = await failure(axios.get('/weather', { signal: controller.signal }))
      expect(error).toMatchObject({ code: 'ABORTED', moneyMoved: 'perhaps' })
      chain.mine()
      expect((await axios.get('/weather')).status).toBe(200)
    })
  },
)

test.skipIf(ABSENT !== '')(
  `axios does not follow redirects of an unpaid request to another origin to pay there${ABSENT}`,
  async () => {
    const other = await openSeller()
    try {
      seller.answers = ({ response }) => {
        response.writeHead(302, { location: `${other.url}/weather` }).end()
      }
      const axios = wrapAxiosWithPayment(peer('axios').create(), scriptedWallet(chain))
      const error = await failure(axios.get(`${seller.url}/weather`))
      expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', moneyMoved: 'no' })
      expect(other.shown).toEqual([])
    } finally {
      await other.close()
    }
  },
)
