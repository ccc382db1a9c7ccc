import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { verifyWebhook } from '../../../../host/entry/wallet.ts'

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`
const OTHER = `whsec_${Buffer.from('another of 24 bytes.....').toString('base64')}`
const BODY = '{"type":"transaction.confirmed","wallet_id":"w1"}'
const AT = 1_700_000_000_000

/** Returns the headers that the published library generates. */
function headersOf(secret = SECRET, family = 'webhook'): Record<string, string> {
  return {
    [`${family}-id`]: 'm1',
    [`${family}-timestamp`]: String(AT / 1000),
    [`${family}-signature`]: new Webhook(secret).sign('m1', new Date(AT), BODY),
  }
}

const delivery = { secret: SECRET, headers: headersOf(), body: BODY, now: AT }

test.each(['webhook', 'svix', 'Svix'])(
  'the verifier returns the event of a delivery with %s-...',
  async (family) => {
    const headers = headersOf(SECRET, family)
    const event = { type: 'transaction.confirmed', wallet_id: 'w1' }
    expect(await verifyWebhook({ ...delivery, headers })).toEqual(event)
    expect(await verifyWebhook({ ...delivery, headers: new Headers(headers) })).toEqual(event)
    expect(await verifyWebhook({ ...delivery, headers, body: Buffer.from(BODY) })).toEqual(event)
  },
)

test('the verifier accepts one of several signatures and of several secrets', async () => {
  const both = `v1a,xx v1,${'A'.repeat(44)} ${headersOf(OTHER)['webhook-signature']}`
  const headers = { ...headersOf(), 'webhook-signature': both }
  await verifyWebhook({ ...delivery, headers, secret: [SECRET, OTHER] })
  await expect(verifyWebhook({ ...delivery, headers })).rejects.toThrow(/no signature/)
})

test.each([
  ['another body', { body: BODY.replace('w1', 'w2') }, /no signature/],
  ['another id', { headers: { ...headersOf(), 'webhook-id': 'm2' } }, /no signature/],
  [
    'another time',
    { headers: { ...headersOf(), 'webhook-timestamp': '1700000001' } },
    /no signature/,
  ],
  ['another secret', { secret: OTHER }, /no signature/],
  [
    'another version',
    { headers: { ...headersOf(), 'webhook-signature': 'v2,AAAA' } },
    /no signature/,
  ],
  ['a time long ago', { now: AT + 301_000 }, /more than 300 seconds off/],
  ['a time to come', { now: AT - 301_000 }, /more than 300 seconds off/],
  ['a time that is none', { headers: { ...headersOf(), 'webhook-timestamp': 'NaN' } }, /off/],
  [
    'no signature',
    { headers: { 'webhook-id': 'm1', 'webhook-timestamp': '1' } },
    /no header webhook-signature/,
  ],
])('the verifier refuses %s', async (_, changed, expected) => {
  await expect(verifyWebhook({ ...delivery, ...changed })).rejects.toThrow(expected)
})
