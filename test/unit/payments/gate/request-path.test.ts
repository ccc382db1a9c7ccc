import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requestPath } from '../../../../host/payments/gate/request-path.ts'
import { ResourceMap } from '../../../../host/payments/gate/resource-map.ts'

describe('the canonical path of a request', () => {
  test.each([
    ['/', '/', '/'],
    ['/weather', '/weather', '/weather'],
    ['/%77eather', '/weather', '/weather'],
    ['/a%20b/', '/a b/', '/a%20b/'],
    ['/caf%C3%A9', '/café', '/caf%C3%A9'],
  ])('for %s is %s', (target, path, encoded) => {
    expect(requestPath(target)).toEqual({ path, encoded })
  })

  test.each([
    ['http://host:1/a/b', '/a/b', 'host:1'],
    ['HTTPS://host', '/', 'host'],
  ])('for %s, in absolute form, is %s at %s', (target, path, authority) => {
    expect(requestPath(target)).toEqual({ path, encoded: path, authority })
  })

  test.each([
    '',
    '*',
    'a',
    '//a',
    '/a//b',
    '/a//',
    '/.',
    '/..',
    '/a/.',
    '/a/../b',
    '/%2e',
    '/%2E%2e/a',
    '/a%2fb',
    '/a%2Fb',
    '/a%5cb',
    '/a\\b',
    '/a;b=c',
    '/a%3bb',
    '/a%00',
    '/a%0d%0a',
    '/a%7f',
    '/a%c2%85',
    '/a%20',
    '/%20a',
    '/a.',
    '/a%2e',
    '/a#b',
    '/a%23b',
    '/a%3fb',
    '/a%25',
    '/%252e%252e/a',
    '/%',
    '/%4',
    '/%zz',
    '/%c0%80',
    '/%ff',
    '/é',
    '/a b',
    '/a\u0000',
  ])('does not exist for the invalid target %j', (target) => {
    expect(requestPath(target)).toBe(undefined)
  })

  test('is unchanged when it is parsed again, for any target', () => {
    const piece = fc.constantFrom(
      '/',
      '.',
      '%2e',
      '%2f',
      '%25',
      'a',
      'B',
      '%61',
      ';',
      '\\',
      '%c3%a9',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const found = requestPath(`/${pieces.join('')}`)
        if (found === undefined) return
        expect(requestPath(found.encoded)).toEqual(found)
        // The URL standard normalizes it to the same spelling.
        expect(new URL(found.encoded, 'http://host').pathname).toBe(found.encoded)
      }),
    )
  })
})

describe('the longest matching path determines the resource', () => {
  const map = new ResourceMap([
    { path: '/api', isTree: true },
    { path: '/api/dear', isTree: true },
    { path: '/file', isTree: false },
    { path: '/caf', isTree: false },
  ])

  test.each([
    ['/api', '/api'],
    ['/api/', '/api'],
    ['/api/x/y', '/api'],
    ['/api/dear', '/api/dear'],
    ['/api/dear/x', '/api/dear'],
    ['/api/dearer', '/api'],
    ['/file', '/file'],
  ])('the path %s belongs to the resource %s', (path, resource) => {
    expect(map.find(path)?.path).toBe(resource)
  })

  test.each([
    '/',
    '/apis',
    '/file/',
    '/file/x',
    // A case-insensitive upstream serves the expensive resource, so that the price of the other must not apply.
    '/api/DEAR',
    '/api/Dear/x',
    '/API',
    '/FILE',
    // Full-width letters, which some file systems normalize to ASCII.
    '/api/ｄｅａｒ',
  ])('the path %s belongs to no resource', (path) => {
    expect(map.find(path)).toBe(undefined)
  })

  test('a resource at / matches every other path', () => {
    const all = new ResourceMap([
      { path: '/', isTree: true },
      { path: '/dear', isTree: true },
    ])
    expect(['/', '/x', '/dear/x', '/dearer'].map((path) => all.find(path)?.path)).toEqual([
      '/',
      '/',
      '/dear',
      '/',
    ])
    expect(all.find('/DEAR')).toBe(undefined)
  })
})
