import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runSeed } from '../../support/random.ts'
import { CONSENSUS_CODECS } from './consensus-codecs.ts'
import { DOCUMENT_CODECS } from './document-codecs.ts'
import { ETHEREUM_CODECS } from './ethereum-codecs.ts'
import { FILE_CODECS } from './file-codecs.ts'
import { NOT_CODECS } from './not-codecs.ts'
import { SERVICE_CODECS } from './service-codecs.ts'
import { STORE_CODECS } from './store-codecs.ts'
import { WALLET_CODECS } from './wallet-codecs.ts'

const HOST = fileURLToPath(new URL('../../../host', import.meta.url))

const seed = runSeed()

/** Every codec of the repository: a new one gets a row in one of these tables. */
const CODECS = [
  ...STORE_CODECS,
  ...ETHEREUM_CODECS,
  ...CONSENSUS_CODECS,
  ...FILE_CODECS,
  ...SERVICE_CODECS,
  ...WALLET_CODECS,
  ...DOCUMENT_CODECS,
]

describe(`each codec decodes what it encodes and refuses to encode other values, seed ${seed}`, () => {
  test.each(CODECS.map((codec) => [codec.name, codec] as const))('%s', (_, codec) =>
    codec.check(seed),
  )
})

test('every encoding file of host/ is in the table or states why not', () => {
  const files = readdirSync(HOST, { recursive: true, encoding: 'utf8' })
    .map((name) => `host/${name.split(sep).join('/')}`)
    .filter((file) => file.endsWith('.ts'))
    .filter((file) =>
      /^export (async )?(function|const) encode/m.test(
        readFileSync(join(HOST, '..', file), 'utf8'),
      ),
    )
  const covered = new Set(CODECS.map(({ file }) => file))
  expect(files.filter((file) => !covered.has(file)).sort()).toEqual(Object.keys(NOT_CODECS).sort())
  for (const { file } of CODECS) expect(existsSync(join(HOST, '..', file))).toBe(true)
})
