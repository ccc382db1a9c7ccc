import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { wrapFetchWithPayment } from '../../../../host/payments/client/fetch.ts'
import { PaymentError } from '../../../../host/payments/client/payment-error.ts'
import type { PaymentOptions } from '../../../../host/payments/client/payment-options.ts'
import {
  memoryPayments,
  type PaymentStore,
  storagePayments,
} from '../../../../host/payments/client/payment-store.ts'
import { folderPayments } from '../../../../host/payments/folder-payments.ts'
import { answerJson } from '../../../support/fake-server.ts'
import { type Sales, sellHonestly } from './honest-seller.ts'
import { RpcError, ScriptedChain, scriptedWallet } from './scripted-chain.ts'
import { openSeller, type ScriptedSeller } from './scripted-seller.ts'

let seller: ScriptedSeller
let chain: ScriptedChain
let payments: PaymentStore
let sales: Sales
beforeEach(async () => {
  seller = await openSeller()
  chain = new ScriptedChain()
  payments = memoryPayments()
  sales = sellHonestly(seller, chain, 'transfer')
})
afterEach(() => seller.close())

type Kind = 'local' | 'json-rpc'
const KINDS: readonly Kind[] = ['local', 'json-rpc']

function paying(options: PaymentOptions = {}, kind: Kind = 'local') {
  const wallet = scriptedWallet(chain, kind)
  return wrapFetchWithPayment(fetch, wallet, { payments, pollingInterval: 5, ...options })
}

async function failure(request: Promise<unknown>): Promise<PaymentError> {
  const error = await request.then(
    () => new Error('there is a response'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof PaymentError) return error
  throw error
}

const url = () => `${seller.url}/weather`

/** Returns the stored payments for the request of an error. */
async function keptFor({ payment }: PaymentError) {
  return payments.list(payment?.request ?? '')
}

describe.each(KINDS)('a stored transfer of an account that is %s', (kind) => {
  test('is not repeated if its response is lost', async () => {
    const answers = seller.answers
    seller.answers = ({ proof, response, ...rest }) => {
      if (proof === undefined) return answers({ proof, response, ...rest })
      response.destroy()
    }
    const pay = paying({}, kind)
    const error = await failure(pay(url()))
    expect(error).toMatchObject({ code: 'NOT_DELIVERED', moneyMoved: 'yes', status: undefined })
    const hash = chain.transfers[0]?.hash
    expect(error.payment).toMatchObject({ state: 'confirmed', transfer: { txHash: hash } })
    seller.answers = answers
    expect(await (await pay(url())).json()).toEqual({ paid: hash })
    expect(chain.transfers).toHaveLength(1)
    expect(await keptFor(error)).toEqual([])
  })

  test('is shown again if the seller failed', async () => {
    sales.failsNext = true
    const pay = paying({}, kind)
    const error = await failure(pay(url()))
    expect(error).toMatchObject({ code: 'NOT_DELIVERED', status: 503, moneyMoved: 'yes' })
    expect(await (error.response as Response).json()).toEqual({ error: 'not now' })
    expect((await pay(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(1)
  })

  test('is used by the same request only', async () => {
    sales.failsNext = true
    const pay = paying({}, kind)
    await failure(pay(url(), { method: 'POST', body: 'a' }))
    await pay(url())
    await pay(url(), { method: 'POST', body: 'b' })
    await pay(`${url()}?x`, { method: 'POST', body: 'a' })
    expect(chain.transfers).toHaveLength(4)
    await pay(url(), { method: 'POST', body: 'a' })
    expect(chain.transfers).toHaveLength(4)
  })

  test('is found on the chain if the wallet did not answer', async () => {
    const pay = paying({}, kind)
    chain.after = (method) => {
      if (/^eth_send/.test(method)) throw new Error('connection lost')
    }
    const error = await failure(pay(url()))
    expect(error).toMatchObject({ code: 'PAYMENT_PENDING', moneyMoved: 'perhaps' })
    chain.after = () => undefined
    expect((await pay(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(1)
  })

  test('that never reached the node is sent again with the same nonce', async () => {
    const pay = paying({}, kind)
    chain.before = (method) => {
      if (/^eth_send/.test(method)) throw new Error('connection lost')
    }
    const error = await failure(pay(url()))
    expect(error).toMatchObject({ code: 'PAYMENT_PENDING', moneyMoved: 'perhaps' })
    chain.before = () => undefined
    expect((await pay(url())).status).toBe(200)
    expect(chain.mined.map(({ nonce }) => nonce)).toEqual([0])
    expect(error.payment?.transfer?.nonce).toBe(0)
  })

  test('whose nonce was used by another transaction is discarded, and the next request pays', async () => {
    const pay = paying({}, kind)
    chain.before = (method) => {
      if (/^eth_send/.test(method)) throw new Error('connection lost')
    }
    const { payment } = await failure(pay(url()))
    chain.before = () => undefined
    const from = payment?.payer ?? '0x'
    chain.mine([{ hash: '0x07', from, to: '0x01', nonce: 0, input: '0x' }])
    const error = await failure(pay(url()))
    expect(error).toMatchObject({ code: 'PAYMENT_FAILED', moneyMoved: 'no' })
    expect(error.message).toBe(`another transaction took nonce 0 of ${from}`)
    expect((await pay(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(1)
  })

  test('that reverts is discarded, and the next request pays', async () => {
    const pay = paying({}, kind)
    chain.reverts = true
    const error = await failure(pay(url()))
    expect(error).toMatchObject({ code: 'PAYMENT_FAILED', status: 402, moneyMoved: 'no' })
    expect(error.message).toBe(`the transfer ${chain.mined[0]?.hash} reverted`)
    expect(seller.shown).toEqual([])
    chain.reverts = false
    expect((await pay(url())).status).toBe(200)
  })

  test('that was replaced with a higher fee is proven by the replacement', async () => {
    chain.mines = false
    const replacement = '0x000000000000000000000000000000000000000000000000000000000000beef'
    let looked = 0
    chain.before = (method) => {
      if (method !== 'eth_getTransactionReceipt' || ++looked !== 2) return
      const [sent] = chain.pool.splice(0)
      if (sent !== undefined) chain.mine([{ ...sent, hash: replacement }])
    }
    expect(await (await paying({}, kind)(url())).json()).toEqual({ paid: replacement })
  })

  test('that is in no block in time is awaited again', async () => {
    chain.mines = false
    const pay = paying({}, kind)
    const error = await failure(pay(url()))
    expect(error).toMatchObject({ code: 'PAYMENT_PENDING', moneyMoved: 'perhaps', status: 402 })
    expect(error.message).toBe('no block has the payment after 1 s')
    chain.mine()
    expect((await pay(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(1)
  })

  test('is confirmed by a node that fails intermittently', async () => {
    let calls = 0
    chain.before = (method) => {
      if (/Receipt$/.test(method) && ++calls < 4) throw new RpcError(-32005, 'too many requests')
    }
    expect((await paying({}, kind)(url())).status).toBe(200)
    expect(calls).toBe(4)
  })
})

test('a truncated response body keeps the payment, which a retry shows before it pays again', async () => {
  const answers = seller.answers
  seller.answers = (asked) => {
    if (asked.proof === undefined) return answers(asked)
    asked.response.writeHead(200, { 'content-length': '1000' })
    asked.response.write('{"paid":', () => asked.response.destroy())
  }
  const pay = paying()
  const response = await pay(url())
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow('terminated')
  seller.answers = answers
  expect((await pay(url())).status).toBe(200)
  expect(chain.transfers).toHaveLength(1)
})

test('a payment that was answered is over: one error, and the next request pays', async () => {
  const answers = seller.answers
  seller.answers = (asked) => {
    if (asked.proof !== undefined) asked.response.end = () => asked.response.destroy()
    return answers(asked)
  }
  const pay = paying()
  await failure(pay(url()))
  seller.answers = answers
  const error = await failure(pay(url()))
  expect(error).toMatchObject({ code: 'PAYMENT_REFUSED', status: 402, moneyMoved: 'yes' })
  expect(error.message).toBe(
    `${url()} refused the payment: "Payment verification failed", "payment_spent"`,
  )
  expect(chain.transfers).toHaveLength(1)
  expect((await pay(url())).status).toBe(200)
  expect(chain.transfers).toHaveLength(2)
})

test('a refused payment is stored and shown again, and is never paid a second time', async () => {
  const answers = seller.answers
  // The price has risen in between.
  seller.answers = ({ response, proof, ...rest }) => {
    if (proof === undefined) return answers({ response, proof, ...rest })
    answerJson(response, 402, {
      error: 'Payment verification failed',
      invalidReason: 'amount_mismatch',
    })
  }
  const pay = paying()
  for (let attempt = 0; attempt < 3; attempt++) {
    const error = await failure(pay(url()))
    expect(error).toMatchObject({ code: 'PAYMENT_REFUSED', moneyMoved: 'yes', status: 402 })
    expect(error.message).toContain('"amount_mismatch"')
  }
  expect(chain.transfers).toHaveLength(1)
  const error = await failure(pay(url()))
  await payments.delete(error.payment?.id ?? '')
  seller.answers = answers
  await pay(url())
  expect(chain.transfers).toHaveLength(2)
})

describe('concurrent requests', () => {
  test('for the same resource are each paid separately', async () => {
    const pay = paying()
    const responses = await Promise.all(Array.from({ length: 8 }, () => pay(url())))
    expect(new Set(await Promise.all(responses.map((one) => one.text()))).size).toBe(8)
    expect(chain.transfers).toHaveLength(8)
    expect(chain.mined.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  test('use a stored payment once', async () => {
    sales.failsNext = true
    const pay = paying()
    await failure(pay(url()))
    await Promise.all(Array.from({ length: 4 }, () => pay(url())))
    expect(chain.transfers).toHaveLength(4)
    expect(sales.delivered.size).toBe(4)
  })
})

describe('an aborted request', () => {
  test('rejects with the reason of the signal and pays nothing if it is aborted before the payment', async () => {
    const controller = new AbortController()
    chain.before = (method) => {
      if (method === 'eth_blockNumber') controller.abort(new Error('enough'))
    }
    const request = paying()(url(), { signal: controller.signal })
    await expect(request).rejects.toThrow('enough')
    chain.before = () => undefined
    expect((await paying()(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(1)
  })

  test('reports the sent transaction if it waits for a block, and the next request uses it', async () => {
    chain.mines = false
    const controller = new AbortController()
    chain.before = (method) => {
      if (method === 'eth_getTransactionReceipt') controller.abort(new Error('enough'))
    }
    const pay = paying()
    const error = await failure(pay(url(), { signal: controller.signal }))
    expect(error).toMatchObject({
      code: 'ABORTED',
      moneyMoved: 'perhaps',
      cause: new Error('enough'),
      payment: { state: 'sent', amount: '1000', transfer: { txHash: chain.pool[0]?.hash } },
    })
    chain.mine()
    expect((await pay(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(1)
  })

  test('reports the payment if it waits for the response', async () => {
    const controller = new AbortController()
    const answers = seller.answers
    seller.answers = (asked) => {
      if (asked.proof === undefined) return answers(asked)
      controller.abort(new Error('enough'))
    }
    const pay = paying()
    const error = await failure(pay(url(), { signal: controller.signal }))
    expect(error).toMatchObject({ code: 'ABORTED', moneyMoved: 'yes' })
    seller.answers = answers
    expect((await pay(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(1)
  })

  test('reserves its payment until the owner of the wallet has decided', async () => {
    const controller = new AbortController()
    let answer = () => {}
    chain.before = (method) => {
      if (method !== 'eth_sendTransaction') return
      controller.abort(new Error('enough'))
      return new Promise<void>((resolve) => {
        answer = resolve
      })
    }
    const pay = paying({}, 'json-rpc')
    const error = await failure(pay(url(), { signal: controller.signal }))
    expect(error).toMatchObject({ code: 'ABORTED', moneyMoved: 'perhaps' })
    chain.before = () => undefined
    answer()
    // This one follows the first in the nonce queue, so that the first has been sent.
    await pay(`${url()}?other`)
    expect((await pay(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(2)
  })
})

describe('a stored authorization', () => {
  beforeEach(() => {
    sales = sellHonestly(seller, chain, 'authorization')
  })

  test('is shown again until the time of the chain is past its validity', async () => {
    const pay = paying()
    sales.failsNext = true
    const error = await failure(pay(url()))
    expect(error).toMatchObject({ code: 'NOT_DELIVERED', status: 503, moneyMoved: 'perhaps' })
    const { validBefore = 0, nonce } = error.payment?.authorization ?? {}
    chain.time = validBefore - 1
    sales.failsNext = true
    expect((await failure(pay(url()))).payment?.authorization?.nonce).toBe(nonce)
    chain.time = validBefore
    expect((await pay(url())).status).toBe(200)
    const nonces = seller.shown.map(({ json }) => json.payload.authorization.nonce)
    expect(nonces.slice(0, 2)).toEqual([nonce, nonce])
    expect(nonces[2]).not.toBe(nonce)
    expect(chain.authorized).toEqual(new Set([nonces[2]]))
  })

  test('that was settled is shown after its validity too, and is not paid again', async () => {
    const pay = paying()
    sales.failsNext = true
    const error = await failure(pay(url()))
    const { validBefore = 0, nonce = '0x' } = error.payment?.authorization ?? {}
    chain.authorized.add(nonce)
    chain.time = validBefore + 1000
    expect(await (await pay(url())).json()).toEqual({ paid: nonce })
    expect(chain.authorized.size).toBe(1)
  })
})

describe('the payment store', () => {
  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'payments-'))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return join(path, 'payments')
  }

  test('in a folder has a file for each payment, which others cannot read, until it is over', async () => {
    const path = folder()
    payments = folderPayments(path)
    sales.failsNext = true
    const error = await failure(paying()(url()))
    const [name = '', ...others] = readdirSync(path)
    expect([name, others]).toEqual([`${error.payment?.id}.json`, []])
    expect(statSync(join(path, name)).mode & 0o777).toBe(0o600)
    payments = folderPayments(path)
    expect((await paying()(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(1)
    expect(readdirSync(path)).toEqual([])
    await expect(payments.delete('../../other')).rejects.toThrow('is not a payment id')
  })

  test('in localStorage does not touch foreign keys', async () => {
    const texts = new Map([['mine', 'x']])
    const storage = {
      get length() {
        return texts.size
      },
      key: (index: number) => [...texts.keys()][index] ?? null,
      getItem: (key: string) => texts.get(key) ?? null,
      setItem: (key: string, value: string) => void texts.set(key, value),
      removeItem: (key: string) => void texts.delete(key),
    }
    payments = storagePayments(storage)
    sales.failsNext = true
    await failure(paying()(url()))
    expect(texts.size).toBe(2)
    payments = storagePayments(storage)
    expect((await paying()(url())).status).toBe(200)
    expect(chain.transfers).toHaveLength(1)
    expect([...texts]).toEqual([['mine', 'x']])
  })

  test('in a folder whose disk fails at the sync ends the request before anything is sent', async () => {
    const path = folder()
    payments = folderPayments(path)
    const handle = await open(tmpdir(), 'r')
    const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync')
    onTestFinished(() => sync.mockRestore())
    await handle.close()
    sync.mockRejectedValueOnce(new Error('EIO: i/o error, fsync'))
    await expect(paying()(url())).rejects.toThrow('EIO: i/o error, fsync')
    expect(chain.calls).not.toContain('eth_sendRawTransaction')
    expect(readdirSync(path).filter((name) => name.endsWith('.json'))).toEqual([])
    expect((await paying()(url())).status).toBe(200)
  })

  test('that cannot be written ends the request before anything is sent', async () => {
    payments = { ...memoryPayments(), put: () => Promise.reject(new Error('disk full')) }
    await expect(paying()(url())).rejects.toThrow('disk full')
    expect(chain.calls).not.toContain('eth_sendRawTransaction')
    expect(seller.shown).toEqual([])
  })
})
