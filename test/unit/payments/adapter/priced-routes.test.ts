import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import { splitTarget } from '../../../../host/payments/adapter/path-readings.ts'
import { PricedRoutes, type RouteTable } from '../../../../host/payments/adapter/priced-routes.ts'

const routes = new PricedRoutes({
  '/weather': '0.001',
  'GET /report': '1',
  'POST /report': '2',
  '/files/*': '3',
  '/files/dear/*': '4',
  '/users/:id/photo': '5',
  '/my%20file': '6',
})

/** Returns the price of a path, or the answer if two interpretations give two prices. */
function price(path: string, method = 'GET'): string | undefined {
  const route = routes.find(method, path)
  return typeof route === 'string' ? route : route?.price
}

test.each([
  ['/weather', '0.001'],
  ['/WEATHER', '0.001'],
  ['/weather/', '0.001'],
  ['/%77eather', '0.001'],
  ['/weather/today', undefined],
  ['/', undefined],
  ['/files', '3'],
  ['/files/', '3'],
  ['/files/a/b', '3'],
  ['/files/dear', '4'],
  ['/files/dear/a', '4'],
  ['/users/7/photo', '5'],
  ['/users/7/8/photo', undefined],
  ['/my%20file', '6'],
  ['/my%20FILE', '6'],
  ['/straße', undefined],
])('the path %s has the price %s', (path, expected) => {
  expect(price(path)).toBe(expected)
})

test.each([
  '//weather',
  '/./weather',
  '/free/../weather',
  '/free/%2e%2e/weather',
  '/free%2f..%2fweather',
  '/free\\..\\weather',
  '/%2577eather',
  '/files/../weather',
  '/files/../free',
  '/files/x/../dear/a',
  '/files/dear%2fa',
  '/files//dear/a',
  '/users/a%2fb/photo',
  '/users/../photo',
])('the path %s is refused, since it can be read in two ways with two prices', (path) => {
  expect(price(path)).toBe('ambiguous')
})

test.each(['/a/./b', '//a', '/a%2fb', '/a/../b', '/%zz', '/a//'])(
  'the path %s has no price in any interpretation',
  (path) => {
    expect(price(path)).toBeUndefined()
  },
)

test('a method has its own price, HEAD that of GET, and OPTIONS that of any method', () => {
  expect(['GET', 'HEAD', 'POST', 'PUT'].map((method) => price('/report', method))).toEqual([
    '1',
    '1',
    '2',
    undefined,
  ])
  expect(price('/report', 'OPTIONS')).toBe('1')
  expect(price('/weather', 'DELETE')).toBe('0.001')
})

test('no spelling of a name avoids its price', () => {
  const escaped = (char: string) => `%${char.charCodeAt(0).toString(16)}`
  const spellings = [
    (char: string) => char,
    (char: string) => char.toUpperCase(),
    escaped,
    (char: string) => escaped(char).toUpperCase(),
    (char: string) => escaped(char.toUpperCase()),
  ]
  const name = array(constantFrom(...spellings), { minLength: 7, maxLength: 7 })
  assert(
    property(name, (chosen) => {
      const path = `/${chosen.map((spell, at) => spell('weather'[at] as string)).join('')}`
      expect(price(path), path).toBe('0.001')
    }),
  )
})

test.each([
  [{ weather: '1' }, "'weather' is not a route"],
  [{ '/a?b': '1' }, "'/a?b' has the segment 'a?b'"],
  [{ '/a/../b': '1' }, "'/a/../b' has the segment '..'"],
  [{ '/*/a': '1' }, "'/*/a' has * before its end"],
  [{ '/a%2fb': '1' }, "'/a%2fb' has the segment 'a%2fb', which can be read in two ways"],
  [{ 'HEAD /a': '1' }, "'HEAD /a' is of HEAD"],
  [{ '/a': '1', '/A/': '2' }, "is the same route as '/a'"],
  [{ '/:a': '1', '/[b]': '2' }, 'is the same route as'],
] as [RouteTable, string][])('the price table %j is refused', (table, text) => {
  expect(() => new PricedRoutes(table)).toThrow(LockstepError)
  expect(() => new PricedRoutes(table)).toThrow(text)
})

test.each([
  ['/weather?q=1', { path: '/weather', query: '?q=1' }],
  ['/weather??', { path: '/weather', query: '??' }],
  ['http://127.0.0.1:1/weather?q', { path: '/weather', query: '?q' }],
  ['HTTPS://a.example', { path: '/', query: '' }],
  ['/weather#a', undefined],
  ['/wea\\ther', undefined],
  ['/weather\u00a0', undefined],
  ['http://a;b/weather', undefined],
  ['*', undefined],
  ['', { path: '/', query: '' }],
])('the request target %s is parsed as %j', (target, expected) => {
  expect(splitTarget(target)).toEqual(expected)
})
