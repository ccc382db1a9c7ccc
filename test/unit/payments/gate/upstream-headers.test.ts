import { expect, test } from 'vitest'
import type { HttpRequest } from '../../../../host/api/server/server.ts'
import { requestHeaders } from '../../../../host/payments/gate/upstream-headers.ts'

const PAYER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TRANSACTION = `0x${'11'.repeat(32)}` as const

function passedOn(headers: Readonly<Record<string, string>>) {
  const request = {
    method: 'GET',
    path: '/weather',
    query: '',
    headers: new Map(Object.entries({ host: 'shop.example', ...headers })),
    body: new Uint8Array(),
    remoteAddress: '192.0.2.7',
  } as unknown as HttpRequest
  const path = { path: '/weather', encoded: '/weather' }
  const payment = { isValid: true, txHash: TRANSACTION, payer: PAYER } as const
  return requestHeaders(request, payment, { host: 'upstream:3000', scheme: 'https', path })
}

const OWN = {
  'accept-encoding': 'identity',
  host: 'upstream:3000',
  'x-forwarded-for': '192.0.2.7',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'shop.example',
  'x-payment-payer': PAYER,
  'x-payment-transaction': TRANSACTION,
}

test('only the gate sets the payer headers for an upstream, whatever headers a client sends', () => {
  const forged = {
    'x-payment-payer': 'somebody else',
    'x-payment-transaction': 'another',
    'x-forwarded-for': '127.0.0.1',
    connection: 'x-payment-payer, x-forwarded-for',
  }
  expect(passedOn({ ...forged, accept: 'text/plain' })).toEqual({ ...OWN, accept: 'text/plain' })
})

test('only the gate sets the proxy headers about the client', () => {
  const names = [
    ...['x-real-ip', 'x-real-port', 'cf-connecting-ip', 'cf-connecting-ipv6', 'cf-ipcountry'],
    ...['true-client-ip', 'via', 'forwarded', 'x-client-ip', 'x-cluster-client-ip', 'client-ip'],
    ...['x-forwarded', 'x-forwarded-server', 'x-forwarded-port', 'x-forwarded-client-cert'],
    ...['x-forwarded-user', 'forwarded-for', 'x-forward-for', 'x-originating-ip', 'x-remote-ip'],
    ...['x-remote-addr', 'x-remote-user', 'remote-user', 'fastly-client-ip', 'fly-client-ip'],
    ...['x-original-forwarded-for', 'x-original-host', 'x-envoy-external-address', 'x-host'],
    ...['x-azure-clientip', 'x-appengine-user-ip', 'cloudfront-viewer-address', 'cdn-loop'],
    ...['x-proxyuser-ip', 'wl-proxy-client-ip', 'proxy-client-ip', 'ssl-client-cert', 'x-ssl-cert'],
    ...['x-amzn-oidc-identity', 'x-auth-request-user', 'x-scheme', 'x-url-scheme', 'proxy'],
  ]
  for (const name of names) {
    expect(passedOn({ [name]: '127.0.0.1' }), name).toEqual(OWN)
    expect(passedOn({ [name.replaceAll('-', '_')]: '127.0.0.1' }), name).toEqual(OWN)
  }
})

test('the gate drops the same headers written with underscores, which CGI and WSGI treat alike', () => {
  const forged = {
    x_payment_payer: 'somebody else',
    'x-payment_transaction': 'another',
    x_forwarded_for: '127.0.0.1',
    x_payment: 'a proof',
    transfer_encoding: 'chunked',
    content_length: '5',
  }
  expect(passedOn({ ...forged, api_version: '2' })).toEqual({ ...OWN, api_version: '2' })
})

test('no header makes the upstream use another path or method than was paid for', () => {
  const steering = {
    'x-original-url': '/dear',
    'x-rewrite-url': '/dear',
    'x-http-method-override': 'DELETE',
    'x-http-method': 'DELETE',
    'x-method-override': 'DELETE',
    x_original_url: '/dear',
    'x-forwarded-prefix': '/dear',
  }
  expect(passedOn(steering)).toEqual(OWN)
})
