import { describe, expect, test } from 'vitest'
import { bazaarExtension } from '../../../../host/payments/protocol/bazaar.ts'
import { paymentRequired } from '../../../../host/payments/protocol/challenge.ts'
import { WEATHER } from '../../../support/payments/gate-fixture.ts'
import { absentPeers, peer, publishedPeer } from '../../../support/payments/peers.ts'

const JSON_TYPE = 'application/json'

test('a GET is described by its query parameters and an example response', () => {
  const example = { query: { city: 'Lisbon' }, response: { sun: true } }
  const call = { method: 'GET', path: '/weather' }
  expect(bazaarExtension('/weather', JSON_TYPE, example, call).info).toEqual({
    input: { type: 'http', method: 'GET', queryParams: { city: 'Lisbon' } },
    output: { type: 'json', example: { sun: true } },
  })
})

test('a request with a body is described by an example body, an empty one if there is none', () => {
  const call = { method: 'POST', path: '/search' }
  const describes = (body?: unknown) =>
    bazaarExtension('/search', 'text/csv', body === undefined ? {} : { body }, call).info
  expect(describes({ q: 'x' })).toEqual({
    input: { type: 'http', method: 'POST', bodyType: 'json', body: { q: 'x' } },
    output: { type: 'text' },
  })
  expect(describes()).toMatchObject({ input: { body: {} } })
})

test('a route with parameters has a template, and the values of this request', () => {
  const call = { method: 'HEAD', path: '/users/7/photo' }
  for (const route of ['/users/:id/photo', '/users/[id]/photo']) {
    const described = bazaarExtension(route, 'image/png', {}, call)
    expect(described.routeTemplate).toBe('/users/:id/photo')
    expect(described.info).toEqual({
      input: { type: 'http', method: 'GET', pathParams: { id: '7' } },
      output: { type: 'image/png' },
    })
  }
})

test('only a discoverable resource has extensions in its challenge', () => {
  const url = new URL('http://127.0.0.1:8402/weather')
  expect(paymentRequired(WEATHER, url)).not.toHaveProperty('extensions')
  const listed = paymentRequired({ ...WEATHER, discovery: {} }, url, undefined, 'DELETE')
  expect(Object.keys(listed.extensions ?? {})).toEqual(['bazaar'])
  expect(listed.extensions?.bazaar?.info).toMatchObject({ input: { method: 'DELETE' } })
})

describe(publishedPeer('@x402/extensions'), () => {
  const isAbsent = absentPeers('@x402/extensions') !== ''

  test.skipIf(isAbsent).each([
    ['/weather', 'GET', '/weather', { query: { city: 'Lisbon' }, response: [1, 'a', null] }],
    ['/search', 'POST', '/search', { body: { q: { a: [1] } }, response: 'text' }],
    ['/users/:id', 'GET', '/users/7', {}],
    ['/users/[id]', 'PUT', '/users/7', { body: [] }],
    ['/', 'DELETE', '/', { query: {} }],
  ] as const)('catalogs %s by %s', (route, method, path, example) => {
    const { validateDiscoveryExtension, validateDiscoveryExtensionSpec, extractDiscoveryInfo } =
      peer('@x402/extensions/bazaar')
    const bazaar = bazaarExtension(route, JSON_TYPE, example, { method, path })
    expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true })
    expect(validateDiscoveryExtensionSpec(bazaar).valid).toBe(true)
    const resource = { url: `https://api.example.com${path}?a=1`, mimeType: JSON_TYPE }
    const payload = { x402Version: 2, resource, extensions: { bazaar } }
    const found = extractDiscoveryInfo(payload, {})
    const template = route.replace('[id]', ':id')
    expect(found.resourceUrl).toBe(`https://api.example.com${template}`)
    expect(found.discoveryInfo).toEqual(bazaar.info)
  })
})
