import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ViewPage } from '../../../../../host/explorer/page/view/page.ts'
import { PARAMETERS, TABS } from '../../../../../host/explorer/page/view/parameters.ts'
import {
  formatRoute,
  fullView,
  parseRoute,
  type View,
} from '../../../../../host/explorer/page/view/view.ts'
import { linkTo, viewAt } from '../../../../../host/explorer/page/view/view-link.ts'
import { runSeed } from '../../../../support/random.ts'

const seed = runSeed()

const HASH = `0x${'a1'.repeat(32)}`
const ADDRESS = `0x${'b2'.repeat(20)}`

const natural = fc.option(fc.maxSafeNat(), { nil: undefined })
const text = fc.string({ unit: 'binary', maxLength: 60 })

const page: fc.Arbitrary<ViewPage> = fc.oneof(
  fc.constant<ViewPage>({ kind: 'home' }),
  fc.constant<ViewPage>({ kind: 'bundle' }),
  fc.constant<ViewPage>({ kind: 'tx', hash: HASH }),
  fc.constant<ViewPage>({ kind: 'address', address: ADDRESS }),
  fc.constantFrom('new', ADDRESS).map((to): ViewPage => ({ kind: 'call', to })),
  fc.constantFrom('0', '17', HASH, 'latest').map((block): ViewPage => ({ kind: 'block', block })),
)

const view: fc.Arbitrary<View> = fc
  .record({
    page,
    rpc: text,
    bundle: fc.base64String({ maxLength: 4_000 }),
    index: natural,
    tab: fc.constantFrom(...TABS),
    step: natural,
    call: natural,
    toggled: fc.array(fc.maxSafeNat(), { maxLength: 8 }),
    zoom: text,
    gasBy: fc.constantFrom('call' as const, 'line' as const),
    breakpoints: text,
    before: natural,
    with: text,
    at: natural,
  })
  .map(fullView)

describe('the link to a view', () => {
  test(`encodes the whole view, after # and as a path (seed ${seed})`, () => {
    fc.assert(
      fc.property(view, fc.constantFrom(undefined, '/explorer'), (shown, base) => {
        const link = linkTo(shown, base, '/files/index.html')
        const place = new URL(link, 'http://127.0.0.1:8545/explorer')
        expect(viewAt(place, base)).toEqual(shown)
      }),
      { seed, numRuns: 300 },
    )
  })

  test(`is identical for the same view (seed ${seed})`, () => {
    fc.assert(
      fc.property(view, (shown) => {
        expect(formatRoute(parseRoute(formatRoute(shown)))).toBe(formatRoute(shown))
      }),
      { seed, numRuns: 300 },
    )
  })

  test(`is parsed without an error, whatever it contains (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (route) => {
        expect(Object.keys(parseRoute(route)).sort()).toEqual(
          ['page', ...Object.keys(PARAMETERS)].sort(),
        )
      }),
      { seed, numRuns: 300 },
    )
  })

  test('contains only values that differ from the defaults', () => {
    expect(formatRoute(fullView({ page: { kind: 'home' } }))).toBe('/')
    const shown = fullView({ page: { kind: 'tx', hash: HASH }, tab: 'debug', step: 12 })
    expect(formatRoute(shown)).toBe(`/tx/${HASH}?tab=debug&step=12`)
  })

  test('drops invalid values', () => {
    const shown = parseRoute(
      `/tx/${HASH}?tab=nothing&step=-1&call=1e3&toggled=1.x&before=99999999999999999`,
    )
    expect(shown).toEqual(fullView({ page: { kind: 'tx', hash: HASH } }))
  })

  test('puts values after # that a server would not accept as a path', () => {
    const long = fullView({ page: { kind: 'bundle' }, bundle: 'A'.repeat(3_000) })
    expect(linkTo(long, '/explorer', '/explorer')).toMatch(/^\/explorer\/#\/bundle\?bundle=A+$/)
    const short = fullView({ page: { kind: 'bundle' } })
    expect(linkTo(short, '/explorer', '/explorer')).toBe('/explorer/bundle')
  })
})

describe('the path of a page', () => {
  test.each([
    ['/', { kind: 'home' }],
    [`/tx/${HASH.toUpperCase().replace('0X', '0x')}`, { kind: 'tx', hash: HASH }],
    ['/block/17', { kind: 'block', block: '17' }],
    ['/block/latest', { kind: 'block', block: 'latest' }],
    [`/block/${HASH}`, { kind: 'block', block: HASH }],
    [`/address/${ADDRESS}/`, { kind: 'address', address: ADDRESS }],
    [`/call/${ADDRESS}`, { kind: 'call', to: ADDRESS }],
    ['/call/new', { kind: 'call', to: 'new' }],
    ['/call/0x12', { kind: 'unknown', path: '/call/0x12' }],
    ['/bundle', { kind: 'bundle' }],
    ['/tx/0x1234', { kind: 'unknown', path: '/tx/0x1234' }],
    ['/block/017', { kind: 'unknown', path: '/block/017' }],
    ['/tx', { kind: 'unknown', path: '/tx' }],
    [`/tx/${HASH}/more`, { kind: 'unknown', path: `/tx/${HASH}/more` }],
  ])('is parsed: %s', (path, expected) => {
    expect(parseRoute(path).page).toEqual(expected)
  })
})
