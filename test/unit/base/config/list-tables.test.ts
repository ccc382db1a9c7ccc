import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { renderConfigFile } from '../../../../host/base/config/config-file.ts'
import { inspectConfig } from '../../../../host/base/config/load.ts'
import { migrateFile } from '../../../../host/base/config/migrate-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'lockstep-config-'))
const APP = join(directory, 'app.toml')

afterAll(() => rmSync(directory, { recursive: true, force: true }))

function inspect(toml: string) {
  writeFileSync(APP, toml)
  return inspectConfig({ directory, environment: {}, flags: new Map() })
}

function faults(toml: string): readonly (readonly [string, string])[] {
  return inspect(toml).problems.map(({ message, hint }) => [message.replace(APP, 'app.toml'), hint])
}

const WEATHER = `[payments]
enable = true

[[payments.resource]]
path = "/weather"
price = "0.001"
root = "weather.json"
`

const DEFAULTS = {
  root: '',
  upstream: '',
  description: '',
  mediaType: '',
  style: 'contract',
  methods: ['GET'],
  otherPrices: [],
  discovery: false,
  exampleQuery: '',
  exampleBody: '',
  exampleResponse: '',
}

describe('tables of a list in the configuration', () => {
  test('are read in order, with defaults for omitted keys', () => {
    const { config, problems, listSettings } = inspect(`${WEATHER}
[[payments.resource]]
path = "/api/v1"
upstream = "http://127.0.0.1:3000/"
price = "12"
media_type = "text/plain"
style = "x402"
methods = ["GET", "POST"]
`)
    expect(problems).toEqual([])
    expect(config.payments.resource).toEqual([
      { ...DEFAULTS, path: '/weather', price: '0.001', root: 'weather.json' },
      {
        ...DEFAULTS,
        path: '/api/v1',
        price: '12',
        upstream: 'http://127.0.0.1:3000',
        mediaType: 'text/plain',
        style: 'x402',
        methods: ['GET', 'POST'],
      },
    ])
    expect(listSettings.find(({ key }) => key === 'payments.resource.media-type')).toEqual({
      key: 'payments.resource.media-type',
      table: 1,
      value: 'text/plain',
      place: `${APP}:13`,
    })
  })

  test('are empty if a file has none, and may follow another section', () => {
    expect(inspect('').config.payments.resource).toEqual([])
    const apart =
      '[payments]\n[evm]\nhttp_port = 1\n[[payments.resource]]\npath = "/a"\nprice = "1"\nroot = "a"\n'
    const { config, problems } = inspect(apart)
    expect(problems).toEqual([])
    expect(config.payments.resource.map(({ path }) => path)).toEqual(['/a'])
    expect(config.evm.httpPort).toBe(1)
  })

  test('may be written as an array of inline tables', () => {
    const { config, problems } = inspect(
      '[payments]\nresource = [{ path = "/a", price = "1", root = "a" }]\n',
    )
    expect(problems).toEqual([])
    expect(config.payments.resource).toHaveLength(1)
  })

  test('appear as one commented example in a new file, which is valid when it is uncommented', () => {
    const text = renderConfigFile('app.toml')
    expect(inspect(text).config.payments.resource).toEqual([])
    const from = text.indexOf('# [[payments.resource]]')
    const end = text.indexOf('\n\n', from)
    const table = text.slice(from, end).replace(/^# /gm, '')
    const { config, problems } = inspect(text.slice(0, from) + table + text.slice(end))
    expect(problems).toEqual([])
    expect(config.payments.resource).toEqual([
      {
        ...DEFAULTS,
        path: '/report',
        price: '0.001',
        root: 'report.json',
        description: 'A report',
      },
    ])
  })

  test('are unchanged by a migration', () => {
    const source = `${WEATHER}style = "x402"\n${WEATHER.slice(25)}`
    const { text, changes } = migrateFile(APP, 'app.toml', source, inspect(source))
    expect(changes).toEqual([])
    expect(text).toContain('style = "x402"')
  })
})

describe('the error for a faulty table names its line, the value, the rule and the remedy', () => {
  const RULE = 'a path such as /weather of letters, digits and - . _ ~, without a trailing slash'

  test.each([
    ['path', '"weather"', RULE],
    ['path', '"/weather/"', RULE],
    ['path', '"/a/../b"', RULE],
    ['path', '"/a//b"', RULE],
    ['path', '"/a%20b"', RULE],
    ['path', '"/.git"', RULE],
    ['path', '"/a."', RULE],
    ['price', '0.001', 'a number of tokens above zero in quotes, such as "0.001"'],
    ['price', '"0.000"', 'a number of tokens above zero in quotes, such as "0.001"'],
    ['price', '"1e-3"', 'a number of tokens above zero in quotes, such as "0.001"'],
    ['price', '"-1"', 'a number of tokens above zero in quotes, such as "0.001"'],
    ['style', '"v2"', 'one of contract, x402'],
    ['methods', '["HEAD"]', 'an array of GET, POST, PUT, PATCH, DELETE'],
    ['methods', '[]', 'an array of GET, POST, PUT, PATCH, DELETE'],
    ['upstream', '"ftp://a"', 'an http or https URL without user, query and fragment, or empty'],
    [
      'upstream',
      '"http://u:p@a"',
      'an http or https URL without user, query and fragment, or empty',
    ],
    ...[
      '"1"',
      '"1 0x12"',
      '"0 0x4020000000000000000000000000000000000402"',
      '"0x4020000000000000000000000000000000000402 1"',
    ].map(
      (value) =>
        [
          'other-prices',
          `[${value}]`,
          'an array of at most 8 prices such as "0.05 0x4020000000000000000000000000000000000402"',
        ] satisfies [string, string, string],
    ),
    ['example-query', '"?a=1"', 'query parameters without ?, each once, of at most 512 characters'],
    [
      'example-query',
      '"a=1&a=2"',
      'query parameters without ?, each once, of at most 512 characters',
    ],
    ['example-body', '"{"', 'JSON of at most 512 characters as a string'],
    ['discovery', '"yes"', 'true or false'],
  ])('for %s = %s', (name, value, rule) => {
    const toml = `[[payments.resource]]\nx = 1\n${name} = ${value}\n`
    expect(faults(toml)).toContainEqual([
      `app.toml:3: [[payments.resource]] ${name} = ${JSON.stringify(JSON.parse(value))}: must be ${rule}`,
      'correct the line',
    ])
  })

  test('for a misspelt, missing or repeated key', () => {
    const toml = `${WEATHER}\n[[payments.resource]]\npath = "/b"\nroott = "b"\nmedia-type = "a"\nmedia_type = "b"\n`
    expect(faults(toml)).toEqual([
      ['app.toml:11: unknown key [[payments.resource]] roott', 'did you mean root?'],
      [
        'app.toml:13: [[payments.resource]] media_type is given twice',
        'hyphen and underscore are the same key; keep one of the two lines',
      ],
      ['app.toml:9: [[payments.resource]] has no price', 'write price = "0.001"'],
    ])
  })

  test('for tables that contradict themselves or each other', () => {
    const table = (text: string) => `[[payments.resource]]\nprice = "1"\n${text}\n`
    const toml =
      table('path = "/a"') +
      table('path = "/b"\nroot = "x"\nupstream = "http://a"') +
      table('path = "/c"\nroot = "x"\nmethods = ["POST"]') +
      table('path = "/verify"\nroot = "x"') +
      table('path = "/C"\nroot = "x"')
    expect(faults(toml)).toEqual([
      [
        'app.toml:1: [[payments.resource]] /a has neither root nor upstream',
        'write one of the two: root is a file or a folder, upstream a server',
      ],
      [
        'app.toml:4: [[payments.resource]] /b has both root and upstream',
        'write one of the two: root is a file or a folder, upstream a server',
      ],
      [
        'app.toml:13: [[payments.resource]] methods of /c are POST',
        'files are sold with GET only: leave methods out',
      ],
      [
        'app.toml:16: [[payments.resource]] path = "/verify" is reserved for the payment gate',
        'choose another path',
      ],
      [
        'app.toml:20: [[payments.resource]] path = "/C" is sold by another table',
        'paths are compared without case: keep one of the tables',
      ],
    ])
  })

  test('for two prices in one token, and for an example that discovery does not show', () => {
    const token = '0x4020000000000000000000000000000000000402'
    const toml = `${WEATHER}other-prices = ["1 ${token}", "2 0x${token.slice(2).toUpperCase()}"]\nexample-query = "a=1"\n`
    expect(faults(toml)).toEqual([
      [
        `app.toml:8: [[payments.resource]] other-prices of /weather have two prices in ${token}`,
        'write one price for each token',
      ],
      [
        'app.toml: [[payments.resource]] /weather has an example call, and discovery is false',
        'write discovery = true, or no examples',
      ],
    ])
  })

  test('for a wallet chain that is listed twice or has no node', () => {
    const table = (id: string, rpc: string) =>
      `[[wallets.chain]]\nid = "eip155:${id}"\nrpc = "${rpc}"\n`
    const toml = table('1', 'http://a') + table('2', '') + table('1', 'http://b')
    expect(faults(toml)).toEqual([
      [
        'app.toml:6: [[wallets.chain]] rpc of eip155:2 is empty',
        'write the URL of a node of that chain',
      ],
      [
        'app.toml:8: [[wallets.chain]] id = "eip155:1" has another table',
        'a chain has one node: keep one of the tables',
      ],
    ])
  })

  test('for a value that is not a list of tables', () => {
    expect(faults('[payments]\nresource = "x"\n')).toEqual([
      [
        'app.toml:2: payments.resource is not an array of tables',
        'write each one as [[payments.resource]] with its keys below',
      ],
    ])
  })
})
